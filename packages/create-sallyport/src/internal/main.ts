#!/usr/bin/env node
import { runCreate } from './command.js';
import { createPrompt } from './prompt.js';

const { stdin, stdout, stderr, env } = process;

process.exitCode = await runCreate(process.argv.slice(2), {
  cwd: process.cwd(),
  environment: env,
  out: (text) => stdout.write(text),
  err: (text) => stderr.write(text),
  ask: createPrompt(stdin, stdout),
});
