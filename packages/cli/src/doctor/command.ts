import { resolve } from 'node:path';
import { fromJson } from '@sallyport/core/internal';
import { AWS_FLAGS, awsAccess } from '../internal/aws-access.js';
import { type Around, type Command, EXIT } from '../internal/command.js';
import { type CommandLine, parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { createStacks, type Stacks } from '../internal/stacks.js';
import { readJsonIfThere, readTemplates, type Template, toTemplate } from '../internal/template.js';
import { createQueues } from '../redrive/internal/queues.js';
import { renderRunbook } from '../runbook/internal/page.js';
import { Service, toRegistrations } from '../runbook/internal/service.js';
import { examine } from './internal/checks.js';
import type { Finding } from './internal/finding.js';
import { createLive } from './internal/live.js';

const FLAGS: Command['flags'] = {
  template: { type: 'text', help: 'the template to compare with (default: of the last deployment)' },
  inventory: { type: 'text', help: 'the inventory of sallyport build (default dist/inventory.json, if it exists)' },
  json: { type: 'boolean', help: 'print one JSON object a line' },
  ...AWS_FLAGS,
};

/** `sallyport doctor <stack>`: compares a deployed stack with its template and its inventory. */
export const DOCTOR_COMMAND: Command = {
  usage: 'doctor <stack>',
  does: 'compares a deployed stack with its template and its inventory',
  flags: FLAGS,
  run: guarded(doctor),
};

async function doctor(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const stack = line.only('name one stack: sallyport doctor Orders-production');
  const access = await awsAccess(line, around);
  const stacks = await createStacks(access);
  const service = new Service(await templateOf(stack, stacks, line, around), registrationsOf(line, around));
  const [live, queues] = [await createLive(access), await createQueues(access)];
  const deployed = await stacks.resources(stack);
  const today = new Date().toISOString().slice(0, 10);
  const findings = [
    ...ofStatus(stack, await stacks.status(stack)),
    ...ofRegistrations(service),
    ...(await examine({ stack, service, deployed, live, queues, today })),
  ];
  for (const finding of findings) around.out(line.has('json') ? jsonOf(finding) : textOf(finding));
  const isKnown = deployed.some(({ drift }) => drift !== 'NOT_CHECKED');
  if (!isKnown) around.err(`drift was never detected: aws cloudformation detect-stack-drift --stack-name ${stack}\n`);
  if (!line.has('json')) around.out(`${stack}: ${deployed.length} resources, ${findings.length} findings\n`);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

async function templateOf(stack: string, stacks: Stacks, line: CommandLine, { cwd }: Around): Promise<Template> {
  const file = line.text('template');
  const [template] = file === undefined ? [] : readTemplates(cwd, [file]);
  return template ?? toTemplate(fromJson(await stacks.template(stack)), stack);
}

function registrationsOf(line: CommandLine, { cwd }: Around) {
  const file = line.text('inventory');
  const inventory = readJsonIfThere(resolve(cwd, file ?? 'dist/inventory.json'));
  if (file !== undefined && inventory === undefined)
    throw invalidUsage(`the inventory ${file} does not exist or is not JSON`);
  return toRegistrations(inventory, undefined);
}

/** `UPDATE_COMPLETE` is healthy; `UPDATE_ROLLBACK_COMPLETE` runs the code before the last deployment. */
function ofStatus(stack: string, status: string): readonly Finding[] {
  if (/^(?:CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return [];
  const remedy = `aws cloudformation describe-stack-events --stack-name ${stack}, then deploy again`;
  return [{ rule: 'stack-status', resource: stack, problem: `its status is ${status}`, remedy }];
}

function ofRegistrations(service: Service): readonly Finding[] {
  const { findings } = renderRunbook(service, { general: '', names: new Map() });
  return findings
    .filter((finding) => finding.includes('is registered'))
    .map((problem) => ({
      rule: 'missing-source',
      resource: '',
      problem,
      remedy: 'add the source to the stack, and deploy',
    }));
}

function jsonOf(finding: Finding): string {
  return `${JSON.stringify({ type: 'finding', ...finding })}\n`;
}

function textOf({ rule, resource, problem, remedy }: Finding): string {
  return `${rule}  ${resource}\n  ${problem}\n  ${remedy}\n`;
}
