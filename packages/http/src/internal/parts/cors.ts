export { CORS_KIND, cors } from '../../pipeline/cors.js';
