#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { runCreate } from './command.js';

const { stdin, stdout, stderr, env } = process;
const isPerson = stdin.isTTY === true && stdout.isTTY === true;

process.exitCode = await runCreate(process.argv.slice(2), {
  cwd: process.cwd(),
  environment: env,
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
  ...(isPerson && { ask }),
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
