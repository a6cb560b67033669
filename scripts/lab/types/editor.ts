import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPILERS, type Program, writeProgram } from './cost.js';

const ROUNDS = 21;
/** `/proc/<pid>/stat` counts the time of a process in hundredths of a second. */
const TICK_MS = 10;

interface Message {
  readonly type: 'response' | 'event';
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly body?: { readonly entries?: readonly { readonly name: string }[] };
}

/**
 * What an editor waits for: the CPU time in which the language server completes a name, after a character was typed. The mean of
 * {@link ROUNDS} completions, since the kernel counts hundredths of a second; the first one, which checks the program, is left out.
 *
 * @param before the completion is asked behind the first occurrence of this text
 * @returns milliseconds
 */
export async function completionCpu(folder: string, program: Program, before: string): Promise<number> {
  writeProgram(folder, program);
  const file = join(folder, 'application.ts');
  const text = program['application.ts'] ?? '';
  const { line, offset } = placeBehind(text, before);
  const server = spawn(process.execPath, [join(COMPILERS['6.0'], 'lib', 'tsserver.js'), '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const message = JSON.parse(line) as Message;
    waiting.get(message.request_seq ?? -1)?.(message);
  });
  let sequence = 0;
  const tell = (command: string, args: object) =>
    server.stdin.write(`${JSON.stringify({ seq: ++sequence, type: 'request', command, arguments: args })}\n`);
  const ask = (command: string, args: object) =>
    new Promise<Message>((resolve) => {
      waiting.set(sequence + 1, resolve);
      tell(command, args);
    });
  /** Types a character, or takes it back. */
  const edit = (round: number) =>
    tell('change', { file, line, offset, endLine: line, endOffset: offset + (round % 2), insertString: round % 2 ? '' : 'G' });
  const complete = () => ask('completionInfo', { file, line, offset, triggerKind: 1 });

  try {
    tell('open', { file, fileContent: text });
    const first = await complete();
    if (!first.body?.entries?.length) throw new Error('the language server completes nothing');
    const began = cpuTicks(server.pid);
    for (let round = 0; round < ROUNDS; round += 1) {
      edit(round);
      await complete();
    }
    return Math.round(((cpuTicks(server.pid) - began) * TICK_MS) / ROUNDS);
  } finally {
    server.kill();
  }
}

function placeBehind(text: string, before: string): { readonly line: number; readonly offset: number } {
  const lines = text.slice(0, text.indexOf(before) + before.length).split('\n');
  return { line: lines.length, offset: (lines.at(-1)?.length ?? 0) + 1 };
}

function cpuTicks(pid = 0): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
