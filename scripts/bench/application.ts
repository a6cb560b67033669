// The one application that every peer serves: its routes and its functions. No framework is imported here.

export interface ResourceRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{param}` segments. */
  readonly pattern: string;
  readonly resource: string;
}

const SHAPES = [
  ['GET', ''],
  ['POST', ''],
  ['GET', '/{id}'],
  ['DELETE', '/{id}'],
  ['GET', '/{id}/items/{item}'],
] as const;

/** Routes that no workload calls, as in a service with many resources. */
function otherRoutes(count: number): readonly ResourceRoute[] {
  return Array.from({ length: count }, (_, index) => {
    const resource = `resource-${Math.floor(index / SHAPES.length)}`;
    const [method, tail] = SHAPES[index % SHAPES.length] ?? SHAPES[0];
    return { method, pattern: `/${resource}${tail}`, resource };
  });
}

/** Registers all routes of the application in the same order for every peer: the called routes are in the middle. */
export function registerAll(total: number, other: (route: ResourceRoute) => void, called: () => void): void {
  const routes = otherRoutes(total - CALLED_ROUTES);
  const half = Math.floor(routes.length / 2);
  for (const route of routes.slice(0, half)) other(route);
  called();
  for (const route of routes.slice(half)) other(route);
}

/** `GET /users/{id}`, `/pages/{id}`, `/trails/{id}`, `/boom` and `/files/{id}`, `POST /orders` and `/uploads` */
const CALLED_ROUTES = 7;

/** The pattern as most routers spell it. */
export function colonPattern(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ':$1');
}

export function showResource(resource: string): object {
  return { resource };
}

export function findUser(id: string): object {
  return { id, name: `User ${id}`, roles: ['reader', 'writer'], active: true };
}

/** The values that a handler read from its request: a path parameter, a query parameter and a header. */
export function showPage(id: string, page: string | undefined, version: string | undefined): object {
  return { id, page, version };
}

/** The values that a handler read from the store of its invocation: one for each middleware. */
export function showTrail(id: string, found: readonly unknown[]): object {
  return { id, found };
}

export function boom(): never {
  throw new Error('the database is on fire');
}

export interface Order {
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: number }[];
}

export function placeOrder(order: Order): object {
  let total = 0;
  for (const line of order.lines) total += line.quantity * line.price;
  return { ...order, total };
}

/** Reads every 4,096th byte of the upload, so that a lost byte is detected. */
export function describeUpload(bytes: Uint8Array): object {
  let sample = 0;
  for (let index = 0; index < bytes.length; index += 4096) sample += bytes[index] ?? 0;
  return { bytes: bytes.length, sample };
}

/** Binary data, the same in every run. */
export function randomBytes(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = 0x2545f491;
  for (let index = 0; index < size; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  return bytes;
}

let file: Buffer | undefined;

/** The file of the download. Created on first use: a cold start does not pay for it. */
export function readFile(): Buffer {
  file ??= randomBytes(1024 * 1024);
  return file;
}

export const STEPS = ['x-step-1', 'x-step-2', 'x-step-3', 'x-step-4', 'x-step-5'] as const;

/** A queue message or a stream record of the application. */
export interface Job {
  readonly id: number;
  readonly fails: boolean;
  readonly note: string;
}

export async function runJob(job: Job): Promise<void> {
  if (job.fails) throw new Error(`job ${job.id} failed`);
}

export const FIELDS: readonly string[] = Array.from({ length: 50 }, (_, index) => `field${index}`);

export function resolveField(field: string, id: string): object {
  return { id, field };
}
