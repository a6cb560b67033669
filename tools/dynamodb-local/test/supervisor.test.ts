import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUPERVISOR = fileURLToPath(new URL('../src/supervisor.mjs', import.meta.url));
/** Replaces `java`: answers 400, as the real server answers an unsigned request. */
const FAKE_JAVA = `#!${process.execPath}
const http = require('node:http');
const port = Number(process.argv.at(-1));
http.createServer((_, answer) => answer.writeHead(400).end()).listen(port, '127.0.0.1');
require('node:fs').writeFileSync(process.env.FAKE_JAVA_PID, String(process.pid));
`;

let home: string;
let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'supervisor-'));
  directory = join(home, 'run');
  mkdirSync(directory);
  writeFileSync(join(home, 'java'), FAKE_JAVA);
  chmodSync(join(home, 'java'), 0o755);
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

function supervise(owner: number, path: string): ChildProcess {
  const env = { PATH: path, FAKE_JAVA_PID: join(home, 'java.pid') };
  const child = spawn(process.execPath, [SUPERVISOR, String(owner), directory], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

function startOwner(): ChildProcess {
  const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(owner);
  return owner;
}

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()));
const javaPid = () => Number(readFileSync(join(home, 'java.pid'), 'utf8'));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('the supervisor of the server', () => {
  it('publishes an endpoint that answers, and reports that it has stopped', async () => {
    const supervisor = supervise(process.pid, home);
    await until(() => existsSync(join(directory, 'endpoint')));
    expect((await fetch(readFileSync(join(directory, 'endpoint'), 'utf8'))).status).toBe(400);
    supervisor.kill('SIGTERM');
    await ended(supervisor);
    expect(existsSync(join(directory, 'stopped'))).toBe(true);
    expect(() => process.kill(javaPid(), 0)).toThrow('ESRCH');
  });

  it('ends the server when its owner is killed', async () => {
    const owner = startOwner();
    const supervisor = supervise(owner.pid ?? 0, home);
    await until(() => existsSync(join(directory, 'endpoint')));
    const gone = ended(supervisor);
    owner.kill('SIGKILL');
    await gone;
    expect(existsSync(directory)).toBe(false);
    expect(() => process.kill(javaPid(), 0)).toThrow('ESRCH');
  });

  it('ends the server when the directory of its run is removed', async () => {
    const supervisor = supervise(process.pid, home);
    await until(() => existsSync(join(directory, 'endpoint')));
    const gone = ended(supervisor);
    rmSync(directory, { recursive: true });
    await gone;
    expect(() => process.kill(javaPid(), 0)).toThrow('ESRCH');
  });

  it('names the remedy if Java is missing', async () => {
    await ended(supervise(process.pid, join(home, 'nowhere')));
    expect(readFileSync(join(directory, 'failed'), 'utf8')).toBe(
      'DynamoDB Local needs Java 17 or later on the PATH: run `node scripts/setup.mjs`, install a JRE, or set DYNAMODB_ENDPOINT.',
    );
  });
});
