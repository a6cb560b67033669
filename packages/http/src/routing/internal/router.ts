import { type Registration, registrationError } from '../registration.js';
import { hasCatchAll, PARAM, type Pattern, REST, segmentsOf } from './pattern.js';

/** Routes by method. Also finds the other methods of a path. */
export class RouteTable {
  readonly #routers = new Map<string, Router<Registration>>();
  readonly #autoHead: boolean;

  constructor(autoHead: boolean) {
    this.#autoHead = autoHead;
  }

  /** @throws FrameworkError `app.bad_request`: the method already has a route for the same paths, even with other parameter names */
  assertFree(method: string, pattern: Pattern): void {
    const earlier = this.#routers.get(method)?.find(pattern);
    if (earlier === undefined) return;
    const place = `${method} ${pattern.canonical}, registered before as ${earlier.route.pattern}`;
    throw registrationError('duplicate route', place);
  }

  add(method: string, pattern: Pattern, registration: Registration): void {
    let router = this.#routers.get(method);
    if (!router) {
      router = new Router();
      this.#routers.set(method, router);
    }
    router.add(pattern, registration);
  }

  match(method: string, path: string): Match<Registration> | undefined {
    const own = this.#routers.get(method)?.match(path);
    return own ?? (this.#autoHead && method === 'HEAD' ? this.#routers.get('GET')?.match(path) : undefined);
  }

  /** The methods of the path, sorted; empty for an unknown path. */
  allowedMethods(path: string): string[] {
    const methods: string[] = [];
    for (const [method, router] of this.#routers) if (router.match(path)) methods.push(method);
    if (this.#autoHead && methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    return methods.sort();
  }
}

/** A matched value and the undecoded values of its parameters, in the order of the pattern's names. */
export interface Match<T> {
  readonly value: T;
  readonly params: readonly string[];
}

/** A pattern of a router and its value. */
interface Added<T> {
  readonly pattern: Pattern;
  readonly value: T;
  readonly order: number;
}

/** A pattern with parameters in the trie, with its precedence among patterns that match the same path, and the positions of its parameters. */
interface Entry<T> {
  readonly value: T;
  /** Number of segments. */
  readonly length: number;
  /** Segment positions of the parameters, catch-all last. */
  readonly positions: readonly number[];
  /** True if the last parameter is a catch-all. */
  readonly rest: boolean;
  readonly order: number;
}

/** A node of the trie of patterns. Most are leaves, so the map is created with the first child. */
interface Node<T> {
  statics: Map<string, Node<T>> | undefined;
  param: Node<T> | undefined;
  rest: Entry<T> | undefined;
  end: Entry<T> | undefined;
}

/**
 * All nodes that one sequence of segments can reach, as one state. A step from it is a single look-up, even if many routes
 * overlap. States are created from the trie when a path first needs them, and their number is limited.
 */
interface State<T> {
  readonly nodes: readonly Node<T>[];
  /** The best route that ends here. */
  readonly end: Entry<T> | undefined;
  /** The best catch-all that matches from an earlier segment on. */
  readonly rest: Entry<T> | undefined;
  next: Map<string, State<T>> | undefined;
  /** The state after a non-empty segment that matches no static segment. */
  other: State<T> | undefined;
}

/** The most nodes in the cached states of one router. Beyond it, states are made and not cached. */
const MAX_REMEMBERED_NODES = 100_000;
const NO_PARAMS: readonly string[] = [];

/**
 * Finds the most specific of the patterns that match a path: more static segments, then more parameters, then no
 * catch-all, then more segments, then the one added earlier. The cost depends only on the number of segments of the path.
 */
export class Router<T> {
  /** By shape, which is the path itself for a pattern without parameters. */
  readonly #patterns = new Map<string, Added<T>>();
  /** Patterns with parameters that are not in the trie yet. */
  #pending: Added<T>[] = [];
  readonly #root: Node<T> = createNode();
  #start: State<T> | undefined;
  #remembered = 0;

  /** The value of the pattern that matches exactly the same paths. */
  find({ shape }: Pattern): T | undefined {
    return this.#patterns.get(shape)?.value;
  }

  /** Adds a pattern. The caller must reject two patterns that match exactly the same paths. */
  add(pattern: Pattern, value: T): void {
    const added = { pattern, value, order: this.#patterns.size };
    this.#patterns.set(pattern.shape, added);
    if (pattern.paramNames.length > 0) this.#pending.push(added);
  }

  /** The best match of an undecoded path that begins with `/`. */
  match(path: string): Match<T> | undefined {
    const exact = this.#patterns.get(path);
    // A path on the wire can be equal to a shape with parameters.
    if (exact?.pattern.paramNames.length === 0) return { value: exact.value, params: NO_PARAMS };
    let state = this.#startState();
    for (let from = path === '/' ? 0 : 1; from > 0 && state.nodes.length > 0; from = path.indexOf('/', from) + 1) {
      const end = path.indexOf('/', from);
      const segment = end < 0 ? path.slice(from) : path.slice(from, end);
      let next = state.next?.get(segment);
      if (next === undefined && segment !== '' && state.other) {
        next = state.other;
        for (const node of state.nodes) if (node.statics?.has(segment)) next = undefined;
      }
      state = next ?? this.#step(state, segment);
    }
    const entry = state.end && state.rest ? better(state.end, state.rest) : (state.end ?? state.rest);
    if (!entry) return undefined;
    const params: string[] = [];
    let from = 1;
    let index = 0;
    for (const position of entry.positions) {
      for (; index < position; index += 1) from = path.indexOf('/', from) + 1;
      // A catch-all matches the rest of the path, any other parameter one segment.
      const end = entry.rest && params.length === entry.positions.length - 1 ? -1 : path.indexOf('/', from);
      params.push(end < 0 ? path.slice(from) : path.slice(from, end));
    }
    return { value: entry.value, params };
  }

  /** The state before the first segment, from a trie of all patterns that were added. */
  #startState(): State<T> {
    if (this.#start && this.#pending.length === 0) return this.#start;
    for (const added of this.#pending) addToTrie(this.#root, added);
    this.#pending = [];
    this.#remembered = 0;
    this.#start = toState([this.#root], undefined);
    return this.#start;
  }

  /** Creates the state after a segment, and caches it if the limit allows it. */
  #step(state: State<T>, segment: string): State<T> {
    if (segment === '') return toState(emptyFollowers(state), state.rest);
    const named = state.nodes.some((node) => node.statics?.has(segment));
    const next = toState(...followers(state, segment));
    const weight = next.nodes.length + 1;
    if (this.#remembered + weight <= MAX_REMEMBERED_NODES) {
      this.#remembered += weight;
      if (named) {
        state.next ??= new Map();
        state.next.set(segment, next);
      } else state.other = next;
    }
    return next;
  }
}

/** The nodes after one non-empty segment, and the best catch-all up to there. */
function followers<T>(state: State<T>, segment: string): [Node<T>[], Entry<T> | undefined] {
  const nodes: Node<T>[] = [];
  let { rest } = state;
  for (const node of state.nodes) {
    const named = node.statics?.get(segment);
    if (named) nodes.push(named);
    if (node.param) nodes.push(node.param);
    rest = better(rest, node.rest);
  }
  return [nodes, rest];
}

/** Only patterns with a slash at the end match an empty segment. */
function emptyFollowers<T>(state: State<T>): Node<T>[] {
  return state.nodes.flatMap((node) => node.statics?.get('') ?? []);
}

function toState<T>(nodes: readonly Node<T>[], rest: Entry<T> | undefined): State<T> {
  const end = nodes.reduce<Entry<T> | undefined>((best, node) => better(best, node.end), undefined);
  return { nodes, end, rest, next: undefined, other: undefined };
}

function better<T>(a: Entry<T> | undefined, b: Entry<T> | undefined): Entry<T> | undefined {
  if (!a || !b) return a ?? b;
  const difference =
    staticsOf(b) - staticsOf(a) ||
    singlesOf(b) - singlesOf(a) ||
    Number(a.rest) - Number(b.rest) ||
    b.length - a.length ||
    a.order - b.order;
  return difference <= 0 ? a : b;
}

/** Number of static segments. */
function staticsOf({ length, positions }: Entry<unknown>): number {
  return length - positions.length;
}

/** Number of parameters that match one segment. */
function singlesOf({ positions, rest }: Entry<unknown>): number {
  return positions.length - (rest ? 1 : 0);
}

function addToTrie<T>(root: Node<T>, { pattern, value, order }: Added<T>): void {
  const segments = segmentsOf(pattern);
  const positions: number[] = [];
  const entry: Entry<T> = { value, length: segments.length, positions, rest: hasCatchAll(pattern), order };
  let node = root;
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index] as string;
    if (segment === PARAM || segment === REST) positions.push(index);
    if (segment === REST) node.rest = entry;
    else node = segment === PARAM ? paramOf(node) : childOf(node, segment);
  }
  if (!entry.rest) node.end = entry;
}

function createNode<T>(): Node<T> {
  return { statics: undefined, param: undefined, rest: undefined, end: undefined };
}

function childOf<T>(node: Node<T>, text: string): Node<T> {
  let child = node.statics?.get(text);
  if (!child) {
    child = createNode();
    node.statics ??= new Map();
    node.statics.set(text, child);
  }
  return child;
}

function paramOf<T>(node: Node<T>): Node<T> {
  node.param ??= createNode();
  return node.param;
}
