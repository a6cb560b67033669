import type { SurfaceHost } from '@sallyport/core';
import type { EventHandler } from '@sallyport/streams/delivery';
import { refused } from '../errors.js';
import { assertPosture } from './gate.js';
import { assertHandler } from './handlers.js';

/** One registration of a channel. */
export interface ChannelEntry {
  readonly pattern: string;
  readonly handler: EventHandler<never>;
  readonly posture: unknown;
}

/** A path of segments, the last of which may be `*`. */
const PATTERN = /^(?:\/[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?)*(?:\/\*)?$/;

/** The handlers of one operation by the pattern of their channels. */
export class ChannelHandlers {
  readonly operation: string;
  readonly entries: ChannelEntry[] = [];

  constructor(operation: string) {
    this.operation = operation;
  }

  /** @throws FrameworkError `app.invalid_configuration` for a pattern that is invalid or taken, or a handler that is not a function */
  parse(pattern: string, handler: EventHandler<never>, posture: unknown): ChannelEntry {
    if (typeof pattern !== 'string' || pattern === '' || !PATTERN.test(pattern)) {
      throw refused('channel pattern must be a path such as /news/sport or /news/*');
    }
    assertHandler(handler);
    if (this.entries.some((entry) => entry.pattern === pattern)) {
      throw refused(`duplicate handler for ${this.operation} "${pattern}"`);
    }
    return { pattern, handler, posture };
  }

  add(entry: ChannelEntry): void {
    this.entries.push(entry);
  }

  /** @throws FrameworkError for a registration without posture if postures are required, or with a posture if they are not supported */
  assertPosture({ pattern, posture }: ChannelEntry, host: SurfaceHost): void {
    assertPosture(host, posture, `${this.operation} ${pattern}`);
  }

  /**
   * The handler with the best match: the channel itself, else the longest pattern above it. `undefined` for a subscription to `/news/*`
   * if a channel under it has its own handler, which the subscription would bypass. `undefined` for a path in another form, so that
   * no spelling of a channel bypasses its handler.
   */
  find(path: string): ChannelEntry | undefined {
    const channel = path.startsWith('/') ? path : `/${path}`;
    if (!PATTERN.test(channel)) return undefined;
    const isWide = channel.endsWith('/*');
    if (isWide && this.entries.some(({ pattern }) => pattern !== channel && pattern.startsWith(channel.slice(0, -1)))) {
      return undefined;
    }
    let best: ChannelEntry | undefined;
    for (const entry of this.entries) {
      if (entry.pattern === channel) return entry;
      const isAbove = entry.pattern.endsWith('*') && channel.startsWith(entry.pattern.slice(0, -1));
      if (isAbove && entry.pattern.length > (best?.pattern.length ?? 0)) best = entry;
    }
    return best;
  }
}
