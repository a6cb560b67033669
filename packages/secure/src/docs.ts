// A page with the operations of a container, and their OpenAPI document.
export { type DocsApp, type DocsPage, type DocsPageOptions, docsPage } from './docs/docs-page.js';
