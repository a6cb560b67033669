/**
 * Parts of the framework for its own packages: `secure` builds its container from them. Any release can change or remove them.
 *
 * @internal
 * @packageDocumentation
 */

export { EVENT_KINDS } from '#events';
export { GRAPHQL_KINDS } from '#graphql';
export { type Assembly, type AssemblyInit, assemble, Container, pickOptions } from './container/container.js';
export { CONTAINER_KINDS, type SocketFacts, type SurfaceOptions } from './container/options.js';
