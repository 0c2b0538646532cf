import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidProfileNameError } from "../../src/errors.ts";
import {
  profileFolderOf,
  profileOfService,
  SERVICE_NAME_MAX,
  serviceName,
  validateProfileName,
} from "../../src/gateway/profile.ts";

const naming = { servicePrefix: "gateway-" };

function ruleBrokenBy(profile: string): string {
  try {
    validateProfileName(profile);
  } catch (error) {
    if (error instanceof InvalidProfileNameError) return error.message;
    throw error;
  }
  return "none";
}

describe("validateProfileName", () => {
  it.each(["coder", "default", "a", "0", "9lives", "a-b_c", "x--", "a_", "con", "a".repeat(243)])(
    "takes %j",
    (profile) => {
      expect(validateProfileName(profile)).toBe(profile);
    },
  );

  it.each([
    ["", `Cannot use "" as a profile name: it is empty.`],
    ["Coder", `Cannot use "Coder" as a profile name: it does not start with a lower-case letter or a digit.`],
    ["-rf", `Cannot use "-rf" as a profile name: it does not start with a lower-case letter or a digit.`],
    ["_a", "does not start with"],
    [".", "does not start with"],
    ["..", "does not start with"],
    [" a", "does not start with"],
    ["é", "does not start with"],
    ["a.b", `Cannot use "a.b" as a profile name: "." is not allowed in it.`],
    ["a/b", `"/" is not allowed in it`],
    ["a/../../etc", `"/" is not allowed in it`],
    ["a b", `" " is not allowed in it`],
    ["aB", `"B" is not allowed in it`],
    ["a\n", String.raw`Cannot use "a\n" as a profile name: "\n" is not allowed in it.`],
    ["a\nb", String.raw`"\n" is not allowed in it`],
    ["a\r", String.raw`"\r" is not allowed in it`],
    ["a\0", String.raw`"\u0000" is not allowed in it`],
    ["a$(id)", `"$" is not allowed in it`],
    ["aé", `"é" is not allowed in it`],
    ["a😀", `"😀" is not allowed in it`],
    ["ａ", "does not start with"], // full-width
    ["a%i", `"%" is not allowed in it`],
    ["a".repeat(244), "it has 244 characters, and at most 243 leave room for the service name"],
  ])("refuses %j and says which rule it breaks", (profile, message) => {
    expect(ruleBrokenBy(profile)).toContain(message);
  });

  it("says in its hint what a name is made of", () => {
    expect(() => validateProfileName("A")).toThrow(
      expect.objectContaining({
        code: "invalid-profile-name",
        exitCode: 2,
        profile: "A",
        hint: expect.stringContaining("lower-case letters, digits, '-' and '_'"),
      }),
    );
  });

  it("leaves room for a longer prefix", () => {
    const long = { servicePrefix: "p".repeat(32) };
    expect(validateProfileName("a".repeat(SERVICE_NAME_MAX - 32), long)).toHaveLength(219);
    expect(() => validateProfileName("a".repeat(220), long)).toThrow("at most 219");
  });

  it("takes exactly what the pattern matches from the first to the last character", () => {
    const character = fc.oneof(fc.constantFrom(..."ab09_-"), fc.constantFrom(..."A./ \n\0$é"), fc.string());
    fc.assert(fc.property(fc.array(character, { maxLength: 8 }), (characters) => {
      const profile = characters.join("");
      expect(ruleBrokenBy(profile) === "none").toBe(
        /^[a-z0-9][a-z0-9_-]*$/.test(profile) && !profile.includes("\n"),
      );
    }));
  });
});

describe("serviceName", () => {
  it("puts the prefix before the profile", () => {
    expect(serviceName("coder", naming)).toBe("gateway-coder");
    expect(serviceName("eu-west", { servicePrefix: "relay-" })).toBe("relay-eu-west");
  });

  it("refuses what is no profile name", () => {
    expect(() => serviceName("../x", naming)).toThrow(InvalidProfileNameError);
  });

  it("fits s6's limit for the longest profile", () => {
    expect(serviceName("a".repeat(243), naming)).toHaveLength(SERVICE_NAME_MAX);
  });
});

describe("profileOfService", () => {
  it("takes the prefix off", () => {
    expect(profileOfService("gateway-coder", naming)).toBe("coder");
    expect(profileOfService("gateway-gateway-x", naming)).toBe("gateway-x");
  });

  it.each(["coder", "gateway-", "gateway-A", "gateway-.x", "xgateway-a", "Gateway-a", ".gateway-a", ""])(
    "does not take %j for one of ours",
    (service) => {
      expect(profileOfService(service, naming)).toBeUndefined();
    },
  );

  it("undoes serviceName", () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/), (profile) => {
      expect(profileOfService(serviceName(profile, naming), naming)).toBe(profile);
    }));
  });
});

describe("profileFolderOf", () => {
  it.each([
    ["/opt/data", "default", "/opt/data"],
    ["/opt/data", "coder", "/opt/data/profiles/coder"],
    ["/opt/data/", "coder", "/opt/data/profiles/coder"],
    ["/opt/data/profiles/writer", "coder", "/opt/data/profiles/coder"],
    ["/opt/data/profiles/writer/", "default", "/opt/data"],
    ["/srv/profiles/of/all", "coder", "/srv/profiles/of/all/profiles/coder"],
    ["/", "default", "/"],
    ["/", "coder", "/profiles/coder"],
  ])("on the volume %s the profile %s lives in %s", (volume, profile, folder) => {
    expect(profileFolderOf(volume, profile)).toBe(folder);
  });
});
