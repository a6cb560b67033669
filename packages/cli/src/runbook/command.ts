import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AWS_FLAGS, awsAccess } from '../internal/aws-access.js';
import type { Around, Command } from '../internal/command.js';
import { parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { createStacks } from '../internal/stacks.js';
import { readJsonIfThere, readTemplates } from '../internal/template.js';
import { renderRunbook } from './internal/page.js';
import { Service, toRegistrations } from './internal/service.js';

const FLAGS: Command['flags'] = {
  inventory: { type: 'text', help: 'the inventory of sallyport build (default dist/inventory.json, if it exists)' },
  manifest: { type: 'text', help: 'the manifest of the constructs (default cdk.out/sallyport.json, if it exists)' },
  out: { type: 'text', help: 'the file to write (default: standard output)' },
  general: {
    type: 'text',
    help: 'the address of the page with the sections of the alarms (default docs/operations.md)',
  },
  stack: { type: 'text', help: 'the deployed stack, whose physical names are written to the page' },
  json: { type: 'boolean', help: 'print one JSON object: the page and its findings' },
  ...AWS_FLAGS,
};

/** `sallyport runbook [template]`: writes the runbook of a service. */
export const RUNBOOK_COMMAND: Command = {
  usage: 'runbook [template]',
  does: 'writes the runbook of the service from its inventory and its template',
  flags: FLAGS,
  run: guarded(runbook),
};

async function runbook(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const [template, ...more] = readTemplates(around.cwd, line.positionals);
  if (!template || more.length > 0) {
    throw invalidUsage('name one template: sallyport runbook cdk.out/Orders.template.json');
  }
  const inventory = readNamed(around, line.text('inventory'), 'dist/inventory.json');
  const manifest = readNamed(around, line.text('manifest'), 'cdk.out/sallyport.json');
  const stack = line.text('stack');
  const names =
    stack === undefined
      ? new Map<string, string>()
      : await (await createStacks(await awsAccess(line, around))).names(stack);
  const service = new Service(template, toRegistrations(inventory, manifest));
  const { markdown, findings } = renderRunbook(service, {
    general: line.text('general') ?? 'docs/operations.md',
    names,
  });
  const out = line.text('out');
  if (out !== undefined) writeFileSync(resolve(around.cwd, out), markdown);
  if (line.has('json')) around.out(`${JSON.stringify({ type: 'runbook', markdown, findings })}\n`);
  else around.out(out === undefined ? markdown : `${out}\n`);
  for (const finding of findings) around.err(`warning: ${finding}\n`);
  return 0;
}

function readNamed({ cwd }: Around, file: string | undefined, byDefault: string): unknown {
  const document = readJsonIfThere(resolve(cwd, file ?? byDefault));
  if (file !== undefined && document === undefined)
    throw invalidUsage(`the file ${file} does not exist or is not JSON`);
  return document;
}
