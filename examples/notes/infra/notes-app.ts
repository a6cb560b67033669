import { App } from 'aws-cdk-lib/core';
import { NotesStack } from './notes-stack.js';

/** The service with the values of one deployment. */
export function createNotesApp(): App {
  const app = new App({ outdir: process.env.CDK_OUTDIR ?? 'cdk.out', analyticsReporting: false });
  new NotesStack(app, 'Notes', {
    env: { region: 'eu-west-1' },
    stage: process.env.STAGE === 'preview' ? 'preview' : 'production',
    environment: {
      NOTES_ISSUER: 'https://issuer.example.com',
      NOTES_AUDIENCE: 'notes',
      NOTES_JWKS_URI: 'https://issuer.example.com/jwks.json',
      NOTES_PUBLIC_URL: 'https://notes.example.com',
    },
    domainName: 'notes.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c-5a3b-4d44-9d86-0123456789ab',
  });
  return app;
}
