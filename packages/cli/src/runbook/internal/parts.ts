import { stringOf } from '@sallyport/core/internal';
import { type Resource, referencesOf } from '../../internal/template.js';
import type { Service } from './service.js';

/** The groups of a runbook, in their order. */
export type Group = 'Functions' | 'Doors' | 'Sources' | 'Stores' | 'Tools';

/** One part of a service. */
export interface Section {
  readonly group: Group;
  /** `Queue orders`. */
  readonly title: string;
  /** The purpose, in one sentence. */
  readonly does: string;
  /** The logical ids of its resources: their alarms belong to the section. */
  readonly resources: readonly string[];
  /** The first look: text and blocks of Markdown. */
  readonly look: readonly string[];
  /** Actions, each as `**Verb**: text`. */
  readonly act: readonly string[];
  /** The data that is lost without an action. */
  readonly lost: string;
}

/** A shell expression for the physical name of a resource; the page defines the function `name`. */
export const physicalName = (id: string): string => `"$(name ${id})"`;

/** A block of shell commands. */
export const shell = (...lines: readonly string[]) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;

/** Errors of a function, with the fields that the framework writes. */
export function errorQuery(filter = ''): string {
  return [
    'fields @timestamp, message, error.name, error.message, record_id, request_id, trace_id',
    `| filter level = "ERROR"${filter}`,
    '| sort @timestamp desc',
    '| limit 50',
  ].join('\n');
}

/** A block with a query of CloudWatch Logs Insights. */
export const insights = (query: string) => `\`\`\`text\n${query}\n\`\`\``;

const SECONDS_A_DAY = 86_400;

/** A shell expression for the name of the log group of a function. */
export function logGroupOf(service: Service, fn: Resource): string {
  const own = service.referenced(referencesOf(fn.properties.LoggingConfig), 'AWS::Logs::LogGroup');
  return own ? physicalName(own.id) : `"/aws/lambda/$(name ${fn.id})"`;
}

/** The commands that return to the code before a deployment. */
export function rollBack(fn: Resource, alias: Resource | undefined): string {
  if (alias) {
    const command = `aws lambda update-alias --function-name ${physicalName(fn.id)} --name ${stringOf(alias.properties.Name) || 'live'} --function-version <previous version>`;
    return `**Roll back**: send all invocations to the previous version.\n\n${shell(
      `aws lambda list-versions-by-function --function-name ${physicalName(fn.id)} --query 'Versions[-3:].[Version,LastModified]' --output text`,
      command,
    )}`;
  }
  return '**Roll back**: deploy the previous commit. The function has no alias, so there is no earlier version to switch to.';
}

/** The commands that send back the messages of a failure queue. */
export function redrive(queue: string, what: string): string {
  return `**Redrive** ${what}, after the cause is repaired:\n\n${shell(
    `npx sallyport redrive ${physicalName(queue)} --dry-run`,
    `npx sallyport redrive ${physicalName(queue)} --limit 1 --watch 300 # one first`,
    `npx sallyport redrive ${physicalName(queue)}`,
  )}`;
}

/** Seconds as days; the default is the retention of SQS, 4 days. */
export function days(seconds: unknown): string {
  const given = typeof seconds === 'number' ? seconds : Number(seconds ?? 345_600);
  return Number.isFinite(given) ? `${Math.round((given / SECONDS_A_DAY) * 10) / 10} days` : 'its retention period';
}
