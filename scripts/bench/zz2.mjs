import { build } from 'esbuild';import { writeFileSync } from 'node:fs';
const {outputFiles:[f]}=await build({stdin:{contents:"import { s3Trigger } from '@sallyport/triggers/s3';export const handler = s3Trigger().bucket('uploads', () => {}).handleLambda;",resolveDir:process.cwd()+'/../../packages/triggers/test',loader:'ts'},bundle:true,minifySyntax:true,minifyWhitespace:false,platform:'node',format:'esm',target:'node20',conditions:['@sallyport/source'],write:false,define:{'process.env.NODE_ENV':'"production"'},external:['@aws-sdk/*']});
writeFileSync('/tmp/s3.mjs',f.contents);
