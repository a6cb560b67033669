/** The parts for containers of another kind; applications do not need them. */
export { EVENT_KINDS } from '#events';
export { GRAPHQL_KINDS } from '#graphql';
export { type Assembly, type AssemblyInit, assemble, Container, pickOptions } from './container/container.js';
export { CONTAINER_KINDS, type SurfaceOptions } from './container/options.js';
