import { build } from 'esbuild'; import { gzipSync } from 'node:zlib';
const T=['s3','invoke','authorizer','cognito','custom-resource','ses','logs','alarm','kafka','mq','documentdb','firehose','s3-batch','secret-rotation','appsync-events','appsync-authorizer','lattice'];
const size=async(contents)=>{const {outputFiles:[f]}=await build({stdin:{contents,resolveDir:process.cwd()+'/../../packages/triggers/test',loader:'ts'},bundle:true,minify:true,platform:'node',format:'esm',target:'node20',mainFields:['module','main'],conditions:['@sallyport/source'],write:false,define:{'process.env.NODE_ENV':'"production"'},external:['@aws-sdk/*'],logLevel:'silent'});return gzipSync(f.contents,{level:9}).length};
const M={s3:'s3Trigger',invoke:'directInvoke',authorizer:'tokenAuthorizer',cognito:'cognitoTrigger','custom-resource':'customResource',ses:'sesTrigger',logs:'logsTrigger',alarm:'alarmAction',kafka:'kafkaTrigger',mq:'mqTrigger',documentdb:'documentDb',firehose:'firehoseTransform','s3-batch':'s3Batch','secret-rotation':'secretRotation','appsync-events':'appSyncEvents','appsync-authorizer':'appSyncAuthorizer',lattice:'latticeDoor'};
const streams="import {Delivery} from '@sallyport/streams/delivery'; globalThis.d=new Delivery({kind:'x'});";
const whole="import {createApp} from '@sallyport/dispatch/app'; globalThis.a=createApp({});";
console.log('s3 function',await size("import { s3Trigger } from '@sallyport/triggers/s3';export const handler = s3Trigger().bucket('uploads', () => {}).handleLambda;"));
const b=await size(streams), w=await size(whole); const ts=await size(streams+"import {TriggerSurface} from '@sallyport/triggers'; globalThis.t=TriggerSurface;");
console.log('streams',b,'with surface',ts-b,'app',w);
if(process.argv[2]) for(const t of T){const c=`import {${M[t]}} from '@sallyport/triggers/${t}'; globalThis.x=${M[t]};`;console.log(t.padEnd(20),'beside streams',await size(streams+c)-b,'beside app',await size(whole+c)-w);}
