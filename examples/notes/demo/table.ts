/** One line of the demo's table. */
export interface Row {
  readonly event: string;
  readonly row: string;
  readonly adapter: string;
  readonly answer: string;
  readonly micros: number;
  readonly right: boolean;
}

const HEAD = ['event', 'detection row', 'adapter', 'status or batch report', 'µs', ''];

export function printTable(rows: readonly Row[]): void {
  const cells = rows.map(({ event, row, adapter, answer, micros, right }) => [
    event,
    row,
    adapter,
    answer,
    micros.toFixed(0),
    right ? 'ok' : 'WRONG',
  ]);
  const lines = [HEAD, ...cells];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
