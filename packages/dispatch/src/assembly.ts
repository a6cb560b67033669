/** What a container of another kind is put together with; applications have no use for it. */
export { type Assembly, type AssemblyInit, assemble, Container, pickOptions } from './container/container.js';
export { CONTAINER_KINDS, type SurfaceOptions } from './container/options.js';
