// `node scripts/totals.mjs <status of npm test> <its log> <status of npm run check> <its log>`: the last line of CI.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Counts tests and gates together. These count as one failure each: an interrupted run, a run without tests, and an exit status
 * that no reported failure explains.
 *
 * @param {{ status: number, output: string }} tests the result of `npm test`
 * @param {{ status: number, output: string }} gates the result of `npm run check`
 * @returns {{ passed: number, failed: number, reasons: string[] }}
 */
export function total(tests, gates) {
  const counted = [
    count('npm test', tests, /^(\d+) passed, (\d+) failed$/gm),
    count('npm run check', gates, /^gates: (\d+) hold, (\d+) broken$/gm),
  ];
  return {
    passed: counted.reduce((sum, { passed }) => sum + passed, 0),
    failed: counted.reduce((sum, { failed }) => sum + failed, 0),
    reasons: counted.flatMap(({ reasons }) => reasons),
  };
}

function count(name, { status, output }, line) {
  // The last such line counts: a test may print such a line too.
  const last = [...output.matchAll(line)].at(-1);
  if (!last) return { passed: 0, failed: 1, reasons: [`${name} ended with status ${status} and without totals`] };
  const [passed, failed] = [Number(last[1]), Number(last[2])];
  if (passed + failed === 0) return { passed, failed: 1, reasons: [`${name} ran nothing`] };
  if (status !== 0 && failed === 0) return { passed, failed: 1, reasons: [`${name} ended with status ${status}`] };
  return { passed, failed, reasons: [] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [testStatus, testLog, checkStatus, checkLog] = process.argv.slice(2);
  const { passed, failed, reasons } = total(
    { status: Number(testStatus), output: readFileSync(testLog, 'utf8') },
    { status: Number(checkStatus), output: readFileSync(checkLog, 'utf8') },
  );
  for (const reason of reasons) process.stdout.write(`${reason}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
