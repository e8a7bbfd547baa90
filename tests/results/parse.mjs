// Parses structured fields as lists: an array of them in JSON comes in, what they mean goes out. Argument: the folder in
// which npm has installed package.json. A field that is none is an object with an error.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const { parseList } = createRequire(`${process.argv[2]}/parse.mjs`)('structured-headers');

const parsed = JSON.parse(readFileSync(0, 'utf8')).map((field) => {
	try {
		return parseList(field).map(([item, parameters]) => ({ type: typeof item, item, parameters: [...parameters] }));
	} catch (error) {
		return { error: String(error) };
	}
});
process.stdout.write(JSON.stringify(parsed));
