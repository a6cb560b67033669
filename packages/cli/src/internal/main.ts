#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { runCli } from './run-cli.js';

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end.abort());

process.exitCode = await runCli(process.argv.slice(2), {
  cwd: process.cwd(),
  environment: process.env,
  out: (line) => process.stdout.write(line),
  err: (line) => process.stderr.write(line),
  input: () => text(process.stdin),
  signal: end.signal,
});
