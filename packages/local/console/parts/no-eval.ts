import { config } from 'zod';

// Imported before anything that describes values with zod: the page's policy forbids code from text, and without this zod
// tries whether it may, which the browser reports as a violation.
config({ jitless: true });
