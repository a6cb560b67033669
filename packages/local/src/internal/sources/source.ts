import type { FullClock } from '@sallyport/core';
import type { OptionKind } from '@sallyport/core/options';
import type { SendField } from '../console/api.js';
import type { Inspection, TriggerView } from '../inspect/inspection.js';
import type { State } from '../state/state.js';
import type { SourceView } from './sources.js';
import type { SourceContext, SourceIdentity } from './sources-context.js';

/** One queue, stream, topic, bus, bucket or schedule of a run. */
export interface LocalSource extends SourceIdentity {
  /** True if its records are delivered to the function. */
  readonly isServed: boolean;
  /** The source of the same kind that receives its dead letters; absent if they are not a source. */
  readonly deadLetterSource?: string;
  /** The queues that receive the records of its failures, one for each function; absent if its dead letters are messages. */
  readonly failureQueues?: readonly string[];
  /** True if a queue has a message. */
  holds?(id: string): boolean;
  /** Removes a message of a queue. */
  remove?(id: string): void;
  /** Starts to deliver records to the function; absent if the source always delivers. */
  serve?(): void;
  /** Ends the wait of a record, or of all records. @param fn the function of the record; default: all functions. @returns true if the record exists */
  hurry(id?: string, fn?: string): boolean;
  /** Sends a dead letter again. @returns true if it existed */
  sendBack(id: string, fn?: string): boolean;
  /** Drops a dead letter. @returns true if it existed */
  drop(id: string, fn?: string): boolean;
  /** Runs a schedule once. @returns the id of the event */
  fire?(detail?: unknown): string;
  /** Deletes the waiting records of a queue. */
  purge?(): void;
  stop(): void | Promise<void>;
  view(): SourceView;
}

/** The run, as its sources and services use it. */
export interface SourceRun extends SourceContext {
  /** Real time; the `clock` has the speed of the sources. */
  readonly realClock: FullClock;
  readonly state: Pick<State, 'get'>;
  /** The source of a name; created if it does not exist. */
  get<S extends LocalSource>(type: SourceType<S>, name: string): S;
  namesOf(type: SourceType): readonly string[];
  inspection(): Inspection;
}

/** Options of a builder, as the developer sent them. The builders check them at run time. */
export type Options = Readonly<Record<string, unknown>>;

/** The form of the console that sends records to the sources of a kind. */
export interface SourceForm {
  /** `Queue message`. */
  readonly label: string;
  /** The meaning of the target: `queue`. */
  readonly target: string;
  /** The builder options that the form shows, with their meaning. Builder defaults set the other options. */
  readonly fields: Readonly<Record<string, readonly [type: SendField['type'], wanted: string]>>;
}

/**
 * A kind of source: the part of a local service that sends events to the function.
 *
 * @typeParam M the member of `sallyport.json` with the settings of its sources; `never` if its sources have no settings
 */
export interface SourceType<S extends LocalSource = LocalSource, K extends string = string, M extends string = string> {
  /** `queue`. */
  readonly kind: K;
  /** The settings of its sources by name in `sallyport.json`; absent if they have no settings. */
  readonly config?: { readonly member: M; readonly values: OptionKind<unknown> };
  /** The builder option that receives the data of `sallyport send`. */
  readonly data?: string;
  /** The ARN of a source. */
  arn(name: string): string;
  /** @param settings the settings of the manifest and of `sallyport.json`; the engines validate them */
  create(run: SourceRun, name: string, settings: object): S;
  /** Creates the sources of a registration. Default: the source of its name, which then delivers. */
  register?(run: SourceRun, trigger: TriggerView): void;
  /** True if the function has a handler for a source. Default: a registration of this kind and name. */
  hasHandler?(name: string, triggers: readonly TriggerView[]): boolean;
  /** Sends records of the developer; absent if the service itself is the only sender. @returns their ids */
  send?(run: SourceRun, name: string, records: readonly Options[], traceId?: string): readonly string[];
  /** The form of `send`; absent if the developer sends no records. */
  readonly form?: SourceForm;
  /** The event of one record that is sent without its source; absent if no event can be built by hand. */
  event?(name: string, options: Options): unknown;
}
