import type { IConstruct } from 'constructs';
import { sharedRegistry } from '../../internal/shared.js';
import type { Registration } from './registrations.js';

const attaching = sharedRegistry<IConstruct, true>('service-wirings/1');

/** Records that a service attaches the sources of a wiring, so that remedies name its prop. */
export function noteService(wiring: IConstruct): void {
  attaching.set(wiring, true);
}

/** The call that attaches a registration: a method of the wiring, or the line for the prop `sources` of its service. */
export function remedyOf(wiring: IConstruct, { key, remedy }: Registration): string {
  if (!attaching.has(wiring)) return remedy;
  const call = /^wiring\.(queue|kinesis|topic|s3|tableStream|schedule|eventBus)\((.*)\)$/.exec(remedy);
  if (!call) return key.startsWith('http ') ? remedy : remedy.replace(/^wiring\./, 'service.wiring.');
  const [, method = '', given = ''] = call;
  const created = /^(?:queue|kinesis|topic|s3)$/.test(method) ? given.replace(/, …$/, '') : given;
  return `Source.${method}(${created}) in "sources" of the service`;
}
