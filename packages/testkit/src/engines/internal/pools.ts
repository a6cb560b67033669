import { seededRandom } from '../../internal/random.js';
import { Heap } from './heap.js';

/** A message as a pool sees it. */
export interface Pooled {
  readonly lane: string;
  /** Place in the order in which messages were sent. */
  readonly order: number;
}

/** The messages of a queue that can be received. */
export interface Pool<M extends Pooled> {
  /** Adds a sent message. */
  add(message: M): void;
  /** Receives up to `most` messages; they are unavailable until `giveBack` or `drop`. */
  take(most: number): M[];
  /** Makes a received message available again. */
  giveBack(message: M): void;
  /** Removes a received message from the queue. */
  drop(message: M): void;
}

/** A standard queue: any order, here selected by a seed. */
export class StandardPool<M extends Pooled> implements Pool<M> {
  readonly #messages: M[] = [];
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Number of messages that can be received. */
  get size(): number {
    return this.#messages.length;
  }

  add(message: M): void {
    this.#messages.push(message);
  }

  giveBack(message: M): void {
    this.#messages.push(message);
  }

  drop(): void {}

  take(most: number): M[] {
    const messages = this.#messages;
    const taken: M[] = [];
    while (taken.length < most && messages.length > 0) {
      const index = Math.floor(this.#random() * messages.length);
      taken.push(messages[index] as M);
      const last = messages.pop() as M;
      if (index < messages.length) messages[index] = last;
    }
    return taken;
  }
}

/** A message group. */
interface Group<M> {
  /** Its messages in the queue, in order, including received messages. */
  readonly messages: M[];
  /** Number of received messages. While it is above 0, no message of the group can be received. */
  away: number;
  /** Its place in the heap; `undefined` if absent. */
  place: Place<M> | undefined;
}

interface Place<M> {
  readonly group: Group<M>;
  /** Index of the group's next message. */
  readonly next: number;
  readonly order: number;
}

/** A FIFO queue: in order; a group with a message in flight or hidden delivers no message. */
export class FifoPool<M extends Pooled> implements Pool<M> {
  readonly #groups = new Map<string, Group<M>>();
  readonly #ready = new Heap<Place<M>>((a, b) => a.order < b.order);

  add(message: M): void {
    const group = this.#groupOf(message);
    group.messages.push(message);
    if (group.messages.length === 1) this.#enter(group, 0);
  }

  take(most: number): M[] {
    const taken: M[] = [];
    const groups = new Set<Group<M>>();
    while (taken.length < most) {
      const place = this.#nextPlace();
      if (!place) break;
      const { group, next } = place;
      taken.push(group.messages[next] as M);
      groups.add(group);
      this.#enter(group, next + 1);
    }
    for (const group of groups) group.place = undefined;
    for (const message of taken) this.#groupOf(message).away += 1;
    return taken;
  }

  giveBack(message: M): void {
    this.#return(this.#groupOf(message));
  }

  drop(message: M): void {
    const group = this.#groupOf(message);
    group.messages.splice(group.messages.indexOf(message), 1);
    this.#return(group);
    if (group.messages.length === 0) this.#groups.delete(message.lane);
  }

  #groupOf({ lane }: M): Group<M> {
    let group = this.#groups.get(lane);
    if (!group) {
      group = { messages: [], away: 0, place: undefined };
      this.#groups.set(lane, group);
    }
    return group;
  }

  #return(group: Group<M>): void {
    group.away -= 1;
    if (group.away === 0) this.#enter(group, 0);
  }

  /** Puts the group into the heap, at the place of its message `next`. Its older places no longer count. */
  #enter(group: Group<M>, next: number): void {
    const message = group.messages[next];
    group.place = message && { group, next, order: message.order };
    if (group.place) this.#ready.push(group.place);
  }

  #nextPlace(): Place<M> | undefined {
    for (let place = this.#ready.pop(); place; place = this.#ready.pop()) {
      if (place.group.place === place) return place;
    }
    return undefined;
  }
}
