/** Work done side by side, with its results in the order of the work. */

/**
 * Works on some items at a time, and hands over each result as soon as it and all before it are there.
 *
 * @param limit How many are worked on at a time.
 */
export async function inOrder<ITEM, RESULT>(
  items: readonly ITEM[],
  limit: number,
  work: (item: ITEM) => Promise<RESULT>,
  handOver: (item: ITEM, result: PromiseSettledResult<RESULT>) => void,
): Promise<void> {
  const admit = turnstile(limit);
  const results = items.map((item) => settled(admit(() => work(item))));
  for (const [index, item] of items.entries()) {
    const result = await results[index];
    if (result !== undefined) handOver(item, result);
  }
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise]);
  return result;
}

/** Lets so many in at a time; the others wait for their turn. */
function turnstile(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
