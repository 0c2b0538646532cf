/** Rows -> aligned columns. */

/** Gives a cell, padded already, its colour. `row` counts from 0 below the header. */
export type Paint = (text: string, row: number, column: number) => string;

/**
 * Aligns columns to the left, two spaces apart, and drops a column that is empty in every row.
 *
 * @returns The lines, each ended by a newline.
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint = (text) => text,
): string {
  const columns = header.map((_, column) => column).filter((column) =>
    rows.some((row) => (row[column] ?? "") !== "")
  );
  const width = (column: number): number =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? "").length));
  const widths = new Map(columns.map((column) => [column, width(column)]));
  const format = (row: readonly string[], paintCell: (text: string, column: number) => string): string => {
    const cells = columns.map((column) => {
      const text = row[column] ?? "";
      const padding = column === columns.at(-1) ? "" : " ".repeat((widths.get(column) ?? 0) - text.length);
      return (text === "" ? "" : paintCell(text, column)) + padding;
    });
    return `${cells.join("  ").trimEnd()}\n`;
  };
  return format(header, (text) => text) +
    rows.map((row, index) => format(row, (text, column) => paint(text, index, column))).join("");
}
