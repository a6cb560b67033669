import type { IConstruct } from 'constructs';
import { misuse, misuseText } from '../../internal/misuse.js';
import type { CatchAllOptions, DoorRoute } from '../door.js';
import { belowPath, canOverlap, isBelow, withPositions } from './pattern.js';

type ApiKind = 'http-api' | 'rest-api' | 'websocket';

/** The routes of one door of an API. */
interface DoorClaims {
  readonly routes: DoorRoute[];
  /** The routes of the application that requests reach only through a catch-all. */
  readonly behind: DoorRoute[];
  /** The paths of catch-alls. */
  readonly under: string[];
}

const nameOf = ({ method, path }: DoorRoute) => `${method} ${path}`;

/**
 * The routes of an API and their doors. No door may receive the requests for a route of another door.
 */
export class RouteClaims {
  readonly #doors = new Map<IConstruct, DoorClaims>();
  readonly #byKey = new Map<string, IConstruct>();
  readonly #kind: ApiKind;

  constructor(api: IConstruct, kind: ApiKind) {
    this.#kind = kind;
    api.node.addValidation({ validate: () => [...this.#overlaps(), ...this.#unreachable()] });
  }

  /** The number of routes. */
  get size(): number {
    return this.#byKey.size;
  }

  /** True if a door has this route. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Adds a door without routes. */
  join(door: IConstruct): void {
    this.#doors.set(door, { routes: [], behind: [], under: [] });
  }

  /** True for the door that was created first. */
  isFirst(door: IConstruct): boolean {
    return this.#doors.keys().next().value === door;
  }

  /** True if another door has this route. */
  isOfAnother(door: IConstruct, key: string): boolean {
    return (this.#byKey.get(key) ?? door) !== door;
  }

  /** Records the route of a door. @throws ConstructError `constructs.conflict` if another door has it */
  claim(door: IConstruct, key: string): void {
    const other = this.#byKey.get(key) ?? door;
    this.#byKey.set(key, other);
    if (other === door) return;
    throw misuse(door, {
      what: `route ${key} is a route of ${other.node.path} already`,
      expected: 'one function for each route of a shared API',
      code: 'constructs.conflict',
    });
  }

  addRoute(door: IConstruct, route: DoorRoute): void {
    this.#of(door).routes.push(route);
  }

  /** @throws ConstructError `constructs.invalid_prop` for two paths of which one is under the other */
  addCatchAll(door: IConstruct, { under = [], registered = [] }: CatchAllOptions): void {
    const own = this.#of(door);
    for (const path of under) {
      const patterns = belowPath(path);
      const other = own.under.find((one) => belowPath(one).some((each) => patterns.some((it) => canOverlap(it, each))));
      if (other !== undefined && other !== path) {
        throw misuse(door, {
          what: `catch-alls of ${other} and ${path}`,
          expected: 'paths that do not overlap',
        });
      }
      own.under.push(path);
    }
    own.behind.push(...registered);
  }

  #of(door: IConstruct): DoorClaims {
    return this.#doors.get(door) ?? { routes: [], behind: [], under: [] };
  }

  /**
   * Routes of other doors under the paths of a catch-all: API Gateway prefers the more specific route, and each of the two functions would miss requests.
   *
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
   */
  #overlaps(): readonly string[] {
    return this.#pairs().flatMap(([[door, { under }], [other, claims]]) =>
      under.flatMap((path) => {
        const catchAlls = claims.under.flatMap(belowPath).map((one) => ({ method: 'ANY', path: one }));
        const found =
          [...claims.routes, ...catchAlls].find((one) => belowPath(path).some((each) => canOverlap(each, one.path))) ??
          claims.behind.find((one) => isBelow(withPositions(one.path), withPositions(path)));
        if (found === undefined) return [];
        const what = `${nameOf(found)} of ${other.node.path} is also under ${path}, whose catch-all is of ${door.node.path}`;
        const expected = 'catchAll under a path that has only routes of its function, or "only" without catchAll';
        return [misuseText(door, { what, expected })];
      }),
    );
  }

  /**
   * Routes that only a catch-all covers and no request reaches, because another door has a route for them. A REST API selects the resource before the method: it answers
   * 403 for a method that the resource does not have, and each part of a path is a resource.
   *
   * @see https://repost.aws/knowledge-center/api-gateway-authentication-token-errors
   */
  #unreachable(): readonly string[] {
    return this.#pairs().flatMap(([[door, { behind }], [other, { routes }]]) =>
      behind.flatMap((route) => {
        const found = routes.find((one) => this.#hides(one, route));
        if (found === undefined) return [];
        const what = `no request reaches ${nameOf(route)} of ${door.node.path}, because ${other.node.path} has ${nameOf(found)}`;
        const expected = `one function for the path, or the routes of ${door.node.path} without catchAll`;
        return [misuseText(door, { what, expected })];
      }),
    );
  }

  #hides(route: DoorRoute, hidden: DoorRoute): boolean {
    const [path, wanted] = [withPositions(route.path), withPositions(hidden.path)];
    if (this.#kind === 'rest-api') return isBelow(path, wanted);
    return path === wanted && (route.method === hidden.method || route.method === 'ANY');
  }

  #pairs(): readonly (readonly [readonly [IConstruct, DoorClaims], readonly [IConstruct, DoorClaims]])[] {
    const all = [...this.#doors];
    return all.flatMap((one) => all.filter((other) => other !== one).map((other) => [one, other] as const));
  }
}
