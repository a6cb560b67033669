import type { Pattern } from './pattern.js';
import { type Registration, registrationError } from '../registration.js';
import { type Match, Router } from './router.js';

/** Routes by method; knows which other methods a path has. */
export class RouteTable {
  readonly #routers = new Map<string, Router<Registration>>();
  readonly #shapes = new Set<string>();
  readonly #autoHead: boolean;

  constructor(autoHead: boolean) {
    this.#autoHead = autoHead;
  }

  /** @throws FrameworkError `app.bad_request`: same method, same shape, whatever the parameters' names */
  reserve(method: string, pattern: Pattern): void {
    const key = `${method} ${pattern.shape}`;
    if (this.#shapes.has(key)) throw registrationError('duplicate route', `${method} ${pattern.canonical}`);
    this.#shapes.add(key);
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

  /** The methods that the path has, sorted; empty when it has none. */
  allowedMethods(path: string): string[] {
    const methods: string[] = [];
    for (const [method, router] of this.#routers) if (router.match(path)) methods.push(method);
    if (this.#autoHead && methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    return methods.sort();
  }
}
