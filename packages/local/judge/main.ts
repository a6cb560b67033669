// `npm run local:native [-- --folder <kept folder>] [--only <part of a name>]`: runs the same functions under AWS's runtime client
// with its compiled native part and with `child/shim.cjs`, and compares the requests at the Runtime API, byte for byte. Exits with 1
// if they differ.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES, type Case } from './cases.js';
import { runCase } from './client.js';
import { compileClient } from './compile.js';
import { LEFT_OUT } from './recorder.js';

const { values } = parseArgs({ options: { folder: { type: 'string' }, only: { type: 'string', default: '' } } });
const temporary = mkdtempSync(join(tmpdir(), 'sallyport-native-'));
const taskRoot = join(temporary, 'functions');
let failed = 0;
try {
  cpSync(fileURLToPath(new URL('functions', import.meta.url)), taskRoot, { recursive: true });
  writeFileSync(join(taskRoot, 'broken.mjs'), 'export const = 1;\n');
  const client = compileClient(values.folder === undefined ? join(temporary, 'client') : resolve(values.folder));
  for (const judged of CASES.filter(({ name }) => name.includes(values.only))) await judge(judged, client);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`not compared: the headers ${LEFT_OUT.join(', ')}, and Node's own frame in stack traces`);
console.log(failed === 0 ? 'no difference' : `${failed} cases failed`);
process.exit(failed === 0 ? 0 : 1);

async function judge(judged: Case, client: string): Promise<void> {
  const compiled = await runCase(judged, 'compiled', { client, taskRoot });
  const shim = await runCase(judged, 'shim', { client, taskRoot });
  const differences = compare(compared(judged, compiled.requests), compared(judged, shim.requests));
  const isWrong = differences.length > 0 !== (judged.differs !== undefined);
  if (isWrong) failed += 1;
  const bytes = compiled.requests.reduce((sum, text) => sum + text.length, 0);
  const verdict = isWrong ? 'FAILED' : (judged.differs ?? 'equal');
  const end = compiled.requests.at(-1);
  console.log(
    [
      judged.name.padEnd(38),
      `${compiled.requests.length - 1}`.padStart(3),
      `${bytes}`.padStart(9),
      end?.padEnd(20),
      verdict,
    ].join('  '),
  );
  if (!isWrong) return;
  for (const line of differences) console.log(`    ${line}`);
  console.log(`--- log, compiled\n${compiled.log.slice(-1500)}\n--- log, shim\n${shim.log.slice(-1500)}`);
}

function compared({ anyOrder }: Case, requests: readonly string[]): readonly string[] {
  const texts = requests.map(withoutNodeFrames);
  return anyOrder ? texts.filter((text) => !text.startsWith('GET')).sort() : texts;
}

/**
 * Removes one frame from stack traces, in bodies, trailers and the X-Ray cause: the compiled part settles the promise of `next` from C++,
 * the shim in an event of Node.
 */
function withoutNodeFrames(text: string): string {
  return text
    .replace(/(?<=^lambda-runtime-function-error-body: ).*/m, (base64) =>
      Buffer.from(base64, 'base64').toString('latin1'),
    )
    .replaceAll(/" {4}at process\.processTicksAndRejections \([^)]*\)",?/g, '')
    .replaceAll('{"path":"node","line":null,"label":"process.processTicksAndRejections"},', '')
    .replace(/("paths":\[[^\]]*),"node"/, '$1');
}

/** The first difference of each request, with the bytes of both parts. */
function compare(compiled: readonly string[], shim: readonly string[]): readonly string[] {
  const differences = compiled.length > 1 ? [] : ['no request arrived'];
  for (let index = 0; index < Math.max(compiled.length, shim.length); index += 1) {
    const [left = '(no request)', right = '(no request)'] = [compiled[index], shim[index]];
    if (left === right) continue;
    let at = 0;
    while (left[at] === right[at]) at += 1;
    const show = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 80));
    differences.push(`request ${index + 1}, byte ${at}: compiled ${show(left)}`, `shim ${show(right)}`);
  }
  return differences;
}
