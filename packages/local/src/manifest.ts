export { type ManifestSource, parseManifest } from './manifest/parse-manifest.js';
