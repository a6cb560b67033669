export { type ManifestFunction, type ManifestSource, parseManifest } from './manifest/parse-manifest.js';
