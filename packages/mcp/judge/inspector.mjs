// The inspector's command line against the judged server; every command must end with 0.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const LAUNCHER = join(packageRoot, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

const COMMANDS = [
  ['--method', 'tools/list'],
  ['--method', 'tools/list', '--strict'],
  ['--method', 'tools/call', '--tool-name', 'test_simple_text'],
  ['--method', 'resources/list'],
  ['--method', 'prompts/list', '--header', 'x-judge: yes'],
];

export async function runInspector(url) {
  const failed = [];
  for (const command of COMMANDS) {
    const { status, output } = await inspect([url, '--transport', 'http', ...command]);
    if (status !== 0) failed.push(`${command.join(' ')} ended with ${status}: ${output.trim().slice(-300)}`);
  }
  const text = failed.length === 0 ? `${COMMANDS.length} commands ended with 0` : failed.join('; ');
  return { ok: failed.length === 0, text };
}

/** Runs the command line; returns its status and its output. */
export function inspect(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [LAUNCHER, '--cli', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('exit', (status) => resolve({ status, output }));
  });
}
