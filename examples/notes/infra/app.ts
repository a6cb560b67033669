/** Synthesises the service: `npm run synth` writes the templates and the bundle to cdk.out/. */
import { createNotesApp } from './notes-app.js';

createNotesApp().synth();
