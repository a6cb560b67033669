export { attachSurfaces, parseSurfaces, SURFACES_KIND } from '../../container/internal/surfaces.js';
