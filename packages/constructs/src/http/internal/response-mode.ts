import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { misuseText } from '../../internal/misuse.js';
import { sharedRegistry } from '../../internal/shared.js';
import { functionBehind } from '../../internal/targets.js';

/** The format in which a function writes its responses. It has one handler, which writes one format. */
export type ResponseFormat = 'json' | 'gateway-v1' | 'function-url';

/** A door whose format depends on the handler: a REST API or a function URL. */
interface ModalDoor {
  readonly door: IConstruct;
  readonly format: Exclude<ResponseFormat, 'json'>;
  readonly canStream: boolean;
  /** The streaming routes of the door itself. */
  readonly streaming: string[];
}

const doors = sharedRegistry<IFunction, ModalDoor[]>('modes/1');

/**
 * The response mode of a door. All REST APIs of a function have one mode, because its handler writes one format for all their events; the same
 * applies to its function URLs.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export class ResponseMode {
  readonly #own: ModalDoor;
  readonly #all: ModalDoor[];

  constructor(door: IConstruct, fn: IFunction, format: ModalDoor['format'], canStream: boolean) {
    const behind = functionBehind(fn);
    this.#all = doors.get(behind) ?? [];
    doors.set(behind, this.#all);
    this.#own = { door, format, canStream, streaming: [] };
    this.#all.push(this.#own);
    door.node.addValidation({ validate: () => this.#mixtures() });
  }

  /** Records a streaming route of the door. */
  addStreaming(route: string): void {
    this.#own.streaming.push(route);
  }

  /** True if every response of the door is streamed. */
  get streams(): boolean {
    return this.#own.canStream && this.#streamingAs(this.#own.format) !== undefined;
  }

  #streamingAs(wanted: ModalDoor['format']): ModalDoor | undefined {
    return this.#all.find(({ format, streaming }) => format === wanted && streaming.length > 0);
  }

  /** The doors that no handler of the function can serve together with this one. */
  #mixtures(): string[] {
    const { door, format, canStream, streaming } = this.#own;
    const remedy = 'a second function for one of the two doors';
    const same = this.#streamingAs(format);
    if (!canStream && same !== undefined) {
      const what = `${door.node.path} buffers, and ${same.streaming[0]} of ${same.door.node.path} streams: a handler writes one format for both`;
      return [misuseText(door, { what, expected: remedy })];
    }
    const other = this.#streamingAs(format === 'gateway-v1' ? 'function-url' : 'gateway-v1');
    if (streaming.length === 0 || other === undefined || format === 'function-url') return [];
    const what = `${streaming[0]} streams through a REST API, and ${other.streaming[0]} through the function URL ${other.door.node.path}: no handler writes both formats`;
    return [misuseText(door, { what, expected: `${remedy}, or streaming: false of the function URL` })];
  }
}

/** A door, and the format that it expects of the handler of its function. */
export interface ExpectedFormat {
  readonly door: IConstruct;
  /** The format of the door if it streams. */
  readonly own: ResponseFormat;
  readonly format: ResponseFormat;
}

/** The formats that the doors of a function expect of its handler. */
export function expectedFormats(fn: IFunction): readonly ExpectedFormat[] {
  const all = doors.get(functionBehind(fn)) ?? [];
  const streams = (wanted: string) => all.some(({ format, streaming }) => format === wanted && streaming.length > 0);
  return all.map(({ door, format, canStream }) => ({
    door,
    own: format,
    format: canStream && streams(format) ? format : 'json',
  }));
}
