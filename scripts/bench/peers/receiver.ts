import { spawn } from 'node:child_process';

/** Reads every datagram. */
const RECEIVER = `
const socket = require('node:dgram').createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
socket.on('message', () => {});
socket.bind(0, '127.0.0.1', () => console.log(socket.address().port));
`;

/** Starts a process that replaces the daemon, so that its work is not measured. Resolves to its address. */
export function startReceiver(): Promise<string> {
  return startPrinting(RECEIVER);
}

const WITH_PARENT = "process.stdin.on('end', () => process.exit()).resume();";

/** Starts a program that prints its port, and ends with this process. Resolves to its address. */
export function startPrinting(program: string): Promise<string> {
  const child = spawn(process.execPath, ['-e', `${program}${WITH_PARENT}`], { stdio: ['pipe', 'pipe', 'inherit'] });
  return new Promise((resolve) => {
    child.stdout.once('data', (port: Buffer) => {
      child.stdout.destroy();
      child.unref();
      resolve(`127.0.0.1:${String(port).trim()}`);
    });
  });
}
