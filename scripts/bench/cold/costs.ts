import { headOf, number } from '../report.js';
import { median } from '../statistics.js';
import { createCpuLimit } from './cpu-limit.js';
import { HERE_256, type Starter, startInTurn } from './in-turn.js';

/** Dollars for a GB-second on arm64 in us-east-1, the list price of https://aws.amazon.com/lambda/pricing/ on this day. The INIT phase is billed like a call. */
export const PRICE = { perGbSecond: 0.0000133334, day: '2026-11-24' } as const;

export interface CostRow {
  readonly name: string;
  readonly memoryMb: number;
  /** Milliseconds of INIT, start of Node included. */
  readonly initMillis: readonly number[];
  /** Milliseconds of the first call. */
  readonly callMillis: readonly number[];
  readonly wrong: number;
}

/** INIT and the first call with the share of a processor that each memory size includes. */
export async function measureCosts(
  starters: readonly Starter[],
  rounds: number,
  memory: readonly number[],
): Promise<readonly CostRow[]> {
  const { limit, close } = await createCpuLimit();
  try {
    const rows: CostRow[] = [];
    for (const memoryMb of memory) {
      const starts = await startInTurn(starters, rounds, { ...HERE_256, memoryMb, limit });
      for (const [name, { answers, wrong }] of starts) {
        const initMillis = answers.map((answer) => answer.initMillis);
        rows.push({ name, memoryMb, initMillis, callMillis: answers.map((answer) => answer.callMillis), wrong });
      }
    }
    return rows;
  } finally {
    await close();
  }
}

/** A row for each application, with the times and the price of a million cold starts in each size of memory. */
export function costTable(rows: readonly CostRow[]): string {
  const memory = [...new Set(rows.map(({ memoryMb }) => memoryMb))];
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => {
    const cells = memory.map((memoryMb) => cell(rows.find((row) => row.name === name && row.memoryMb === memoryMb)));
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const heads = memory.map((memoryMb) => `${memoryMb.toLocaleString('en')} MB: INIT + first call, a million`);
  return [headOf(['cold start', ...heads]), ...lines].join('\n');
}

function cell(row: CostRow | undefined): string {
  if (row === undefined || row.wrong > 0) return `failed ${row?.wrong ?? ''} times`;
  const init = median(row.initMillis);
  const call = median(row.callMillis);
  // Billed in whole milliseconds.
  const dollars = Math.ceil(init + call) * 1000 * (row.memoryMb / 1024) * PRICE.perGbSecond;
  return `${number(init)} + ${number(call)} ms, $${dollars.toFixed(2)}`;
}
