// Makes the page live: a press is a request of its own, seconds are counted down, and when they are over the page asks
// what is left. Every word that is shown comes from the server.
'use strict';

const texts = JSON.parse(document.body.dataset.texts);
const CALLS_SHOWN = 60;

/** When the answer was made that a card shows: answers may overtake each other. */
const shown = new Map();
const workers = [];

const place = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
const part = (card, name) => card.querySelector(name);

// ---- Countdowns ----

/** As Texts::duration() has it. */
function duration(seconds) {
	if (seconds < 10) {
		return (Math.ceil(seconds * 10) / 10).toFixed(1) + ' s';
	}
	const s = Math.ceil(seconds);
	const two = (n) => String(n).padStart(2, '0');
	const minutes = Math.floor(s / 60) % 60;
	return (s < 3600 ? minutes : Math.floor(s / 3600) + ':' + two(minutes)) + ':' + two(s % 60);
}

/** The moment at which a clock is over, on this page's own clock: nobody's wall clock matters. */
function start(clock, seconds) {
	clock.end = seconds === null ? null : performance.now() + seconds * 1000;
	tick(clock);
}

function tick(clock) {
	if (clock.end === null) {
		clock.textContent = '';
		return;
	}
	const left = (clock.end - performance.now()) / 1000;
	clock.textContent = duration(Math.max(left, 0));
	if (left <= 0) {
		clock.end = null;
		refresh();
	}
}

// ---- What the server says ----

function showPermits(permits, left, limit) {
	while (permits.children.length > limit) {
		permits.lastChild.remove();
	}
	while (permits.children.length < limit) {
		permits.append(document.createElement('i'));
	}
	[...permits.children].forEach((permit, i) => permit.classList.toggle('free', i < left));
}

function showBookings(card, facts) {
	const list = part(card, '.booked ul');
	const moments = facts.booked.map((booking) => booking.at).join();
	if (list.dataset.moments === moments) {
		return; // and whoever is on one of its buttons stays there
	}
	list.dataset.moments = moments;
	list.replaceChildren(...facts.booked.map((booking) => {
		const item = part(card, 'template').content.firstElementChild.cloneNode(true);
		part(item, 'span').textContent = booking.said;
		part(item, 'button').value = booking.at;
		return item;
	}));
	part(card, '.booked .none').hidden = facts.booked.length > 0;
}

function showCard(facts, now) {
	if (shown.get(facts.action) > now) {
		return;
	}
	shown.set(facts.action, now);
	const card = document.getElementById(facts.action);
	if (facts.booked) {
		showBookings(card, facts);
		return;
	}
	card.dataset.state = facts.state;
	if (facts.state === 'open') {
		delete card.dataset.refused;
	}
	part(card, '.left').textContent = facts.left;
	part(card, '.said').textContent = facts.said;
	part(card, '.word').textContent = facts.when;
	part(card, '.others').textContent = facts.others;
	showPermits(part(card, '.permits'), facts.left, facts.limit);
	start(part(card, '.clock'), facts.seconds);
}

/** A refusal says why; what was accepted takes the last one's words away. */
function showWhy(card, answer) {
	part(card, '.why').textContent = answer.why ?? answer.note ?? '';
	card.toggleAttribute('data-noted', answer.why === null && Boolean(answer.note));
	card.toggleAttribute('data-refused', answer.why !== null);
	card.removeAttribute('data-shaken');
	if (answer.why !== null) {
		void card.offsetWidth; // so that the same animation begins anew
		card.setAttribute('data-shaken', '');
	}
	const next = part(card, '.next');
	if (next) {
		part(next, 'span').textContent = answer.nextSaid ?? '';
		part(next, 'button').hidden = !answer.next;
		part(next, 'button').value = answer.next ?? '';
	}
}

/** A number of microseconds, of which the largest unit shows a few digits: "23 µs", "7.9 ms", "3.0 s". */
function took(us) {
	if (us === undefined) {
		return '';
	}
	const [unit, per] = us >= 1e6 ? ['s', 1e6] : us >= 1e3 ? ['ms', 1e3] : ['µs', 1];
	return per === 1 ? `${Math.max(1, Math.round(us))} ${unit}` : `${(us / per).toFixed(1)} ${unit}`;
}

function showCall(answer) {
	const section = document.querySelector('.calls');
	if (!workers.includes(answer.worker)) {
		workers.push(answer.worker);
	}
	const item = document.createElement('li');
	const cell = (name, ...content) => {
		const span = document.createElement('span');
		span.className = name;
		span.append(...content);
		item.append(span);
	};
	const dot = document.createElement('i');
	dot.className = 'dot w' + workers.indexOf(answer.worker) % 6;
	cell('time', new Date(answer.now * 1000).toTimeString().slice(0, 8));
	cell('user', place(texts.user, answer));
	cell('what', document.querySelector(`#${answer.action} h2`).textContent);
	cell(answer.accepted ? 'accepted' : 'refused', answer.accepted ? texts.accepted : texts.refused);
	const label = document.createElement('span');
	label.className = 'label';
	label.textContent = `${texts.worker} `;
	cell('worker', dot, label, answer.worker);
	cell('us', took(answer.us) + (answer.store === 'local' ? ` · ${texts.local}` : ''));
	const list = part(section, 'ol');
	list.prepend(item);
	while (list.children.length > CALLS_SHOWN) {
		list.lastChild.remove();
	}
	part(section, '.none').hidden = true;
	part(section, '.workers').textContent = workers.length > 1 ? place(texts.workers, {n: workers.length}) : '';
}

/** The Redis of scripts/demo.sh. */
function showRedis({isStopped, isAway}) {
	const form = document.querySelector('.redis');
	part(form, 'p').textContent = texts[isStopped ? 'redis.down' : isAway ? 'redis.back' : 'redis.up'];
	form.toggleAttribute('data-away', isStopped || isAway);
	part(form, '[value=stop]').hidden = isStopped;
	part(form, '[value=start]').hidden = !isStopped;
}

// ---- Asking ----

async function ask(path, fields) {
	const options = fields ? {method: 'POST', body: new URLSearchParams(fields)} : {};
	const answer = await fetch('/api' + path, options).then((response) => response.json());
	for (const facts of answer.cards ?? (answer.card ? [answer.card] : [])) {
		showCard(facts, answer.now);
	}
	if (answer.demo) {
		showRedis(answer.demo);
	}
	return answer;
}

async function press(form, submitter) {
	const card = form.closest('.card');
	const path = form.getAttribute('action'); // form.action may be a button of that name
	const fields = Object.fromEntries(new FormData(form));
	let times = 1;
	if (submitter?.name === 'times') {
		times = Number(submitter.value); // as many requests at once, for whichever workers are free
	} else if (submitter?.name) {
		fields[submitter.name] = submitter.value;
	}
	const one = async () => {
		try {
			const answer = await ask(path, fields);
			if (path !== '/forget' && path !== '/withdraw') {
				showCall(answer);
			}
			return answer;
		} catch {
			return {accepted: false, why: texts.away};
		}
	};
	const answers = await Promise.all(Array.from({length: times}, one));
	showWhy(card, answers.find((answer) => answer.why) ?? {why: null, note: answers.find((answer) => answer.note)?.note});
	if (times > 1) {
		refresh(); // which of answers that overtook each other was the last, nobody knows
	}
}

let asking = null;
function refresh() {
	asking ??= ask('/state').catch(() => {}).finally(() => asking = null);
}

document.body.classList.add('live');
document.addEventListener('submit', (event) => {
	event.preventDefault();
	if (event.target.matches('.redis')) {
		ask('/redis', {want: event.submitter.value}).catch(() => {});
	} else {
		press(event.target, event.submitter);
	}
});
document.querySelector('.next button').addEventListener('click', (event) => {
	const form = event.target.closest('.card').querySelector('.moment');
	form.elements.at.value = event.target.value;
	form.requestSubmit();
});
document.addEventListener('visibilitychange', () => document.hidden || refresh());
for (const clock of document.querySelectorAll('.clock')) {
	start(clock, clock.dataset.seconds ? Number(clock.dataset.seconds) : null);
}
setInterval(() => document.querySelectorAll('.clock').forEach((clock) => clock.end && tick(clock)), 100);
setInterval(() => document.hidden || refresh(), 5000);
