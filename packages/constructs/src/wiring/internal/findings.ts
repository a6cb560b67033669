import { CfnEventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuseText } from '../../internal/misuse.js';
import { claimsOf, functionBehind, timeoutOf } from '../../internal/targets.js';
import type { ExternalAttachment } from '../external.js';
import type { ManifestDoor } from './manifest.js';
import type { Registration } from './registrations.js';

/** The facts of a wiring when the stack is synthesised. */
export interface WiringFacts {
  readonly registrations: readonly Registration[];
  /** Keys of registrations. */
  readonly attached: ReadonlySet<string>;
  readonly external: readonly ExternalAttachment[];
  readonly doors: readonly ManifestDoor[];
  /** Paths of the wiring and all its children. */
  readonly own: ReadonlySet<string>;
}

/** Every difference between the stack and the inventory that is known only when the stack is complete. */
export function findMismatches(wiring: IConstruct & { readonly fn: IFunction }, facts: WiringFacts): readonly string[] {
  warnOfForeignMappings(wiring, facts);
  return [...notAttached(wiring, facts), ...besides(wiring, facts), ...tooSlow(wiring, facts)];
}

function notAttached(wiring: IConstruct, { registrations, attached, external }: WiringFacts): readonly string[] {
  return registrations
    .filter(({ key }) => !attached.has(key) && !external.some((one) => isSame(one, key)))
    .map(({ label, remedy }) =>
      misuseText(wiring, { what: `the application registers ${label}, the stack attaches none`, expected: remedy }),
    );
}

function isSame({ kind, name }: ExternalAttachment, key: string): boolean {
  return name === undefined ? key.startsWith(`${kind} `) : key === `${kind} ${name}`;
}

/** Triggers of the function that were created outside the wiring, and so were not compared with the inventory. */
function besides(wiring: IConstruct & { readonly fn: IFunction }, { own }: WiringFacts): readonly string[] {
  return claimsOf(wiring.fn)
    .filter(({ path }) => !own.has(path))
    .map(({ path, noun }) => {
      const what = `${path} attaches a ${noun} outside the wiring, which cannot find its handler`;
      return misuseText(wiring, { what, expected: `the ${noun} attached through the wiring` });
    });
}

/** The shortest limit of doors that buffer responses: the limit of REST APIs. */
const BUFFERED_SECONDS = 29;

function tooSlow(wiring: IConstruct & { readonly fn: IFunction }, { doors }: WiringFacts): readonly string[] {
  const http = doors.filter(({ door }) => door !== undefined);
  const seconds = timeoutOf(wiring.fn)?.toSeconds();
  if (seconds === undefined || seconds <= BUFFERED_SECONDS || http.length === 0) return [];
  if (http.some(({ streams, door }) => streams || door?.bufferedTimeout === undefined)) return [];
  const what = 'timeout of a function whose doors all buffer the response';
  return [misuseText(wiring, { what, got: seconds, expected: `at most ${BUFFERED_SECONDS} s, or a streaming route` })];
}

/** Mappings of streams that were created without this package may lack the failure identifier or the report of partial failures. */
function warnOfForeignMappings(wiring: IConstruct & { readonly fn: IFunction }, { own }: WiringFacts): void {
  const behind = functionBehind(wiring.fn);
  const stack = Stack.of(wiring.fn);
  const name = JSON.stringify(stack.resolve(behind.functionName));
  const claimed = claimsOf(wiring.fn).map(({ path }) => path);
  for (const found of stack.node.findAll()) {
    if (!CfnEventSourceMapping.isCfnEventSourceMapping(found) || found.startingPosition === undefined) continue;
    const isOurs = own.has(found.node.path) || claimed.some((path) => found.node.path.startsWith(`${path}/`));
    if (isOurs || JSON.stringify(stack.resolve(found.functionName)) !== name) continue;
    Validations.of(found).addWarning(
      'Sallyport::StreamIdentifier',
      'This mapping of a stream was made without TableStreamTrigger or StreamTrigger: it needs ReportBatchItemFailures, and its function FRAMEWORK_STREAM_FAILURE_IDENTIFIER=sequenceNumber.',
    );
  }
}
