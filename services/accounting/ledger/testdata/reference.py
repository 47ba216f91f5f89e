"""Reckons ledgers again, from the rules in words, with fractions: a second opinion on the package that it lies beside.

Reads a ledger in JSON a line, and writes for each its years: what they charge, what leaves, and what they close with, in cents."""
import datetime
import fractions
import json
import sys


def day(text):
    return datetime.date.fromisoformat(text)


def cents(x):
    """A fraction of a cent, half away from zero."""
    if x < 0:
        return -cents(-x)
    return int(x + fractions.Fraction(1, 2))


def years_later(start, count):
    try:
        return start.replace(year=start.year + count)
    except ValueError:  # 29 February
        return start.replace(year=start.year + count, day=28)


def spread(amount, weights):
    total = sum(weights)
    if total == 0:
        return [0] * len(weights)
    exact = [fractions.Fraction(amount * w, total) for w in weights]
    parts = [int(e) for e in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for i in order[: amount - sum(parts)]:
        parts[i] += 1
    return parts


# units of a whole year, of the year of service and of that of disposal
BY_YEAR = {"half_year": (2, 1, 1), "full_year": (1, 1, 0), "following_year": (1, 0, 1)}


class Layer:
    def __init__(self, cost, residual, left):
        self.cost, self.amortized, self.residual, self.left = cost, 0, residual, left
        self.fresh, self.position, self.planned = True, 0, 0

    def value(self):
        return self.cost - self.amortized

    def charge(self, units):
        units = min(units, self.left)
        if units < 1:
            return 0
        amount = cents(fractions.Fraction((self.value() - self.residual) * units, self.left))
        self.amortized += amount
        self.left -= units
        return amount

    def split(self, cost):
        gone = Layer(cost, 0, self.left)
        gone.fresh, gone.position, gone.planned = self.fresh, self.position, self.planned
        gone.amortized = cents(fractions.Fraction(self.amortized * cost, self.cost))
        gone.residual = cents(fractions.Fraction(self.residual * cost, self.cost))
        self.cost -= cost
        self.amortized -= gone.amortized
        self.residual -= gone.residual
        return gone


class Ledger:
    def __init__(self, told):
        self.convention, self.life, self.residual = told["convention"], told["life"], told["residual"]
        self.service, self.work, self.layers = None, 0, []

    def counts_time(self):
        return self.convention in ("month", "day")

    def life_units(self, life, service):
        if self.convention == "month":
            return 12 * life
        if self.convention == "day":
            return (years_later(service, life) - service).days
        return BY_YEAR[self.convention][0] * life

    def position_of(self, on):
        if self.convention == "month":
            return (on.year - self.first.year) * 12 + on.month - self.first.month
        return (on - self.first).days

    def run_to(self, layer, position):
        if position > layer.position:
            self.charged += layer.charge(position - layer.position)
            layer.position = position

    def run_all_to(self, on):
        if self.counts_time():
            for layer in self.layers:
                self.run_to(layer, self.position_of(on))

    def longer(self, more):
        units = self.life_units(self.life + more, self.service) - self.life_units(self.life, self.service)
        for layer in self.layers:
            layer.left += units
        self.life += more

    def put_in_service(self, cost, on):
        self.service = on
        layer = Layer(cost, self.residual, self.life_units(self.life, on))
        if self.counts_time():
            layer.position = self.position_of(on)
        else:
            layer.planned = BY_YEAR[self.convention][1]
        self.layers.append(layer)

    def better(self, cost, on, added):
        self.run_all_to(on)
        if added:
            self.longer(added)
        base = self.layers[0]
        layer = Layer(cost, 0, base.left)
        if self.counts_time():
            layer.position = base.position
        else:  # it ends with the first
            layer.planned = BY_YEAR[self.convention][1]
            layer.left = base.left - base.planned + layer.planned
        self.layers.append(layer)

    def year(self, told):
        self.first, last = day(told["first"]), day(told["last"])
        self.charged = self.gone_cost = self.gone_amortized = self.gain = 0
        for layer in self.layers:
            layer.fresh, layer.position = False, 0
            if not self.counts_time():
                layer.planned = BY_YEAR[self.convention][0]
        for entry in told["entries"]:
            getattr(self, entry["type"])(entry, day(entry["on"]))
        whole = 12 if self.convention == "month" else (last - self.first).days + 1
        for layer in self.layers:
            if self.counts_time():
                self.run_to(layer, whole)
            else:
                self.charged += layer.charge(layer.planned)
        return [self.charged, self.gone_cost, self.gone_amortized, self.gain, sum(l.cost for l in self.layers), sum(l.amortized for l in self.layers), self.work]

    def acquisition(self, entry, on):
        self.put_in_service(entry["amount"], on)

    contribution = acquisition

    def construction(self, entry, on):
        self.work += entry["amount"]

    def in_service(self, entry, on):
        self.work -= entry["amount"]
        if self.layers:
            self.better(entry["amount"], on, 0)
        else:
            self.put_in_service(entry["amount"], on)

    def betterment(self, entry, on):
        self.better(entry["amount"], on, entry["added"])

    def estimate(self, entry, on):
        self.run_all_to(on)
        if entry["life"]:
            self.longer(entry["life"] - self.life)
        elif entry["units"]:
            change = entry["units"] - self.layers[0].left
            for layer in self.layers:
                layer.left += change
        if entry["residual"] is not None:
            self.layers[0].residual = self.residual = entry["residual"]

    def write_down(self, entry, on):
        self.run_all_to(on)
        for layer, part in zip(self.layers, spread(entry["amount"], [l.value() for l in self.layers])):
            layer.cost -= part
            layer.residual = min(layer.residual, layer.value())

    def disposal(self, entry, on):
        self.gain += entry["proceeds"]
        parts = spread(entry["amount"], [l.cost for l in self.layers])
        for layer, part in zip(self.layers, parts):
            if not layer.cost:
                continue
            gone = layer.split(part)
            if self.counts_time():
                self.run_to(gone, self.position_of(on))
            elif not gone.fresh:
                self.charged += gone.charge(BY_YEAR[self.convention][2])
            self.gone_cost += gone.cost
            self.gone_amortized += gone.amortized
            self.gain -= gone.value()
        self.layers = [l for l in self.layers if l.cost]

    def adjustment(self, entry, on):
        self.run_all_to(on)
        self.layers[0].cost += entry["cost_change"]
        self.layers[0].amortized += entry["accumulated_change"]


for line in sys.stdin:
    told = json.loads(line)
    ledger = Ledger(told)
    print(json.dumps([ledger.year(y) for y in told["years"]]))
