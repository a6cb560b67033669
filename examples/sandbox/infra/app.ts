/** Synthesises the service: `npm run synth` writes the template and the bundle to cdk.out/. */
import { createSandboxApp } from './sandbox-app.js';

createSandboxApp().synth();
