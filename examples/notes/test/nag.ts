/** Synthesises the service with cdk-nag: `node ../../scripts/synth.mjs test/nag.ts`. The findings are in the report of the assembly. */
import { Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { createNotesApp } from '../infra/notes-app.js';

const app = createNotesApp();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
