import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The part of a runbook under a heading. */
export const section = (page: string, title: string) =>
  page.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? '';

/** The first line of a section that matches. */
export const commandIn = (part: string, pattern: RegExp) => part.split('\n').find((line) => pattern.test(line)) ?? '';

/** Runs a line of a runbook in a shell, after the function that the page defines. Resolves to its output. */
export async function runLine(page: string, line: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [, define = ''] = /```sh\n(name\(\) \{[\s\S]*?\n\})\n```/.exec(page) ?? [];
  const running = spawn('sh', ['-c', `${define}\n${line}`], { env });
  const [out, err, [code]] = await Promise.all([text(running.stdout), text(running.stderr), once(running, 'exit')]);
  if (code !== 0) throw new Error(`${line}: ${err}`);
  return out.trim();
}
