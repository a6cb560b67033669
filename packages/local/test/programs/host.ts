// A host that is killed: it has a stopped child process, as an environment between two invocations is.
import { spawn } from 'node:child_process';
import { startGuardian } from '../../src/internal/runtime/guardian.js';

const guardian = startGuardian();
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const { pid = 0 } = child;
guardian.add(pid);
child.stdout.once('data', () => {
  child.kill('SIGSTOP');
  console.log(pid);
});
