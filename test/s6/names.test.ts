import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVICE_NAME_MAX } from "../../src/gateway/profile.ts";
import {
  formatOwner,
  type Owner,
  ownerOfName,
  parseOwner,
  retiredName,
  stagingName,
} from "../../src/s6/names.ts";

const OWNER: Owner = { pidNamespace: "4026531836", pid: 4194304, startTime: 98765432109876, serial: "zz" };

const service = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,250}$/);
const owner: fc.Arbitrary<Owner> = fc.record({
  pidNamespace: fc.nat().map(String),
  pid: fc.nat(4194304),
  startTime: fc.nat(),
  serial: fc.nat().map((number) => number.toString(36)),
});

describe.each([["stagingName", stagingName], ["retiredName", retiredName]])("%s", (_, nameOf) => {
  it("starts with a dot, so that s6-svscan never looks at it, and names service and owner", () => {
    expect(nameOf("gateway-coder", formatOwner(OWNER))).toMatch(
      /^\.gatewarden-gateway-coder\.(?:new|old)\.4026531836-4194304-98765432109876-zz$/,
    );
  });

  it("fits the file system, whole service or not", () => {
    const longest = "x".repeat(SERVICE_NAME_MAX);
    expect(nameOf(longest, formatOwner(OWNER))).toHaveLength(255);
    expect(nameOf(longest, formatOwner(OWNER))).toMatch(/\.4026531836-4194304-98765432109876-zz$/);
    fc.assert(fc.property(service, owner, (service, owner) => {
      const name = nameOf(service, formatOwner(owner));
      expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(255);
      expect(name).toMatch(/^\.[^/]+$/);
    }));
  });

  it("tells its owner, however long the service", () => {
    fc.assert(fc.property(service, owner, (service, owner) => {
      expect(ownerOfName(nameOf(service, formatOwner(owner)))).toEqual(owner);
    }));
  });

  it("is another for another owner, and for each folder of one", () => {
    const names = [OWNER, { ...OWNER, serial: "0" }, { ...OWNER, pid: 1 }, { ...OWNER, pidNamespace: "1" }]
      .map((owner) => nameOf("x".repeat(SERVICE_NAME_MAX), formatOwner(owner)));
    expect(new Set(names).size).toBe(4);
  });
});

describe("stagingName and retiredName", () => {
  it("never give the same name", () => {
    expect(stagingName("gateway-coder", "1-2-3-0")).not.toBe(retiredName("gateway-coder", "1-2-3-0"));
  });
});

describe("parseOwner", () => {
  it("reads what formatOwner writes, as a line too", () => {
    expect(parseOwner(formatOwner(OWNER))).toEqual(OWNER);
    expect(parseOwner(`${formatOwner(OWNER)}\n`)).toEqual(OWNER);
  });

  it.each([
    "",
    "1-2-3",
    "1-2-3-",
    "1-2-3-0-0",
    "a-2-3-0",
    "1--2-3-0",
    "1-2-3-A",
    "1-2-3-0\n1-2-3-0",
    "-1-2-3-0",
  ])(
    "takes %j for no owner",
    (text) => {
      expect(parseOwner(text)).toBeUndefined();
    },
  );
});

describe("ownerOfName", () => {
  it.each([
    "",
    ".",
    "..",
    "gateway-coder",
    ".s6-svscan",
    ".gatewarden",
    ".gatewarden-",
    ".gatewarden-gateway-coder",
    ".gatewarden-gateway-coder.new.",
    ".gatewarden-gateway-coder.new.x",
    ".gatewarden-gateway-coder.new.1-2-3",
    ".gatewarden-gateway-coder.tmp.1-2-3-0",
    ".gatewarden-gateway-coder.new.1-2-3-0.bak",
    "gatewarden-gateway-coder.new.1-2-3-0",
    ".other-gateway-coder.new.1-2-3-0",
    ".gatewarden.XXXXXXXX",
  ])("finds none in %j, which is not ours to clear away", (name) => {
    expect(ownerOfName(name)).toBeUndefined();
  });

  it("finds none in any name a service may have", () => {
    fc.assert(fc.property(service, (name) => {
      expect(ownerOfName(name)).toBeUndefined();
    }));
  });
});
