// Prints the seconds and numbers that clients and parsers of npm read of a refusal and of an accepted answer, as JSON.
// Arguments: the folder in which npm has installed package.json, and the URL of the answers.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, url] = process.argv.slice(2);
const require = createRequire(`${folder}/clients.mjs`);
const load = async (name) => import(pathToFileURL(require.resolve(name)));

// Waits end at once, and are noted.
const timer = globalThis.setTimeout;
let waits = [];
globalThis.setTimeout = (run, ms, ...more) => {
	waits.push((ms ?? 0) / 1000);
	return timer(run, 0, ...more);
};
const longest = async (ask) => {
	waits = [];
	await ask().catch(() => {});
	return Math.max(...waits);
};

const { default: ky } = await load('ky');
const { default: got } = await load('got');
const axios = require('axios');
const axiosRetry = require('axios-retry').default;
const { RetryAgent, Agent, request } = require('undici');
const { Octokit } = await load('@octokit/core');
const { throttling } = await load('@octokit/plugin-throttling');
const { parseRateLimit } = await load('ratelimit-header-parser');
const { parseList } = await load('structured-headers');

const read = {};
for (const headers of ['present', 'legacy']) {
	const refused = `${url}refused&headers=${headers}`;
	const accepted = await fetch(`${url}accepted&headers=${headers}`);
	const parsed = [(await fetch(refused)).headers, accepted.headers].map((h) => parseRateLimit(h)).map((r) => r && [r.limit, r.remaining, Math.round((r.reset - Date.now()) / 1000)]);
	const agent = axios.create();
	axiosRetry(agent, { retries: 1, retryCondition: (e) => e.response?.status === 429, retryDelay: axiosRetry.exponentialDelay });
	const github = () => longest(async () => new (Octokit.plugin(throttling))({
		log: { debug() {}, info() {}, warn() {}, error() {} },
		request: { fetch: () => fetch(`${refused}&status=403`) },
		throttle: { onRateLimit: (seconds, options, octokit, retries) => retries < 1, onSecondaryRateLimit: () => false },
	}).request('GET /'));
	read[headers] = {
		'ky': await longest(() => ky(refused, { timeout: false, retry: { limit: 1, statusCodes: [429] } })),
		'got': await new Promise((found) => got(refused, { retry: { limit: 1, calculateDelay: ({ computedValue }) => { found(computedValue / 1000); return 0; } } }).catch(() => found(null))),
		'axios-retry': await longest(() => agent.get(refused)),
		'undici': await longest(() => request(refused, { dispatcher: new RetryAgent(new Agent(), { maxRetries: 1 }) })),
		'@octokit/plugin-throttling': await github(),
		'ratelimit-header-parser': parsed,
		'structured-headers': parseList(accepted.headers.get('RateLimit')).map(([name, state]) => [name, state.get('r'), state.get('t')]),
	};
}
console.log(JSON.stringify(read));
process.exit(0);
