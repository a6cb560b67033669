import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Command } from '../build/command.js';
import { planOf } from './internal/plan.js';
import { samTemplate } from './internal/sam.js';
import { terraformBlocks } from './internal/terraform.js';

/** `sallyport manifest`: prints a template of AWS SAM or blocks of Terraform for the inventory of `sallyport build`. */
export const MANIFEST_COMMAND: Command = {
  usage: 'manifest [inventory]',
  does: 'prints a SAM template or Terraform blocks for the registrations of the application',
  flags: {
    sam: { type: 'boolean', help: 'a template of AWS SAM' },
    terraform: { type: 'boolean', help: 'blocks of Terraform' },
    json: { type: 'boolean', help: 'print one JSON object: the format, its text, and what it does not attach' },
  },
  async run(args, { cwd, out, err }) {
    try {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { sam: { type: 'boolean' }, terraform: { type: 'boolean' }, json: { type: 'boolean' } },
        allowPositionals: true,
      });
      const { sam = false, terraform = false, json = false } = values;
      const [file = 'dist/inventory.json', ...more] = positionals;
      if (sam === terraform || more.length > 0)
        throw new TypeError('pass one of --sam and --terraform, and at most one inventory');
      const plan = planOf(JSON.parse(readFileSync(resolve(cwd, file), 'utf8')));
      const text = sam ? samTemplate(plan) : terraformBlocks(plan);
      if (json) {
        const format = sam ? 'sam' : 'terraform';
        out(`${JSON.stringify({ type: 'manifest', format, text, notAttached: plan.others })}\n`);
        return 0;
      }
      for (const one of plan.others) err(`warning: not attached: ${one}: see docs/trigger-kinds.md\n`);
      out(text);
      return 0;
    } catch (error) {
      err(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
      return 2;
    }
  },
};
