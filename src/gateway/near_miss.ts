/** What somebody may have meant who mistyped a name. */

/**
 * The candidate that is nearest to a word, if one is near enough to be worth a question: at most a third of its
 * letters are other, missing, too many or swapped with their neighbour. Case does not count.
 */
export function nearMiss(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates.filter((candidate) => Math.abs(candidate.length - word.length) <= limit(candidate))
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= limit(candidate))
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.candidate;
}

function limit(candidate: string): number {
  return Math.floor(candidate.length / 3);
}

/** How many edits make one word the other (optimal string alignment distance). */
function edits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      ));
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
