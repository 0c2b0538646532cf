import { describe, expect, it } from "vitest";
import { inOrder } from "../../src/cli/in_order.ts";

describe("inOrder", () => {
  it("never works on more at a time than it may, and hands all over in order", async () => {
    let working = 0;
    let most = 0;
    const items = Array.from({ length: 20 }, (_, index) => index);
    const handedOver: unknown[] = [];
    await inOrder(items, 3, async (item) => {
      most = Math.max(most, working += 1);
      for (let turn = 0; turn < 20 - item; turn += 1) await Promise.resolve();
      working -= 1;
      return item * 2;
    }, (item, result) => handedOver.push([item, result]));
    expect(most).toBe(3);
    expect(handedOver).toEqual(items.map((item) => [item, { status: "fulfilled", value: item * 2 }]));
  });

  it("goes on after a failure, also one that is thrown at once", async () => {
    const statuses: string[] = [];
    await inOrder([1, 2, 3], 1, (item) => {
      if (item === 1) throw new Error("at once");
      return item === 2 ? Promise.reject(new Error("later")) : Promise.resolve();
    }, (item, { status }) => statuses.push(`${item} ${status}`));
    expect(statuses).toEqual(["1 rejected", "2 rejected", "3 fulfilled"]);
  });
});
