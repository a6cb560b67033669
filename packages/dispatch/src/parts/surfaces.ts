export { attachSurfaces, parseSurfaces, SURFACES_KIND } from '../container/surfaces.js';
