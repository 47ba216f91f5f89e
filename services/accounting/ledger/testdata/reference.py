"""Reckons ledgers again, from the rules in words, with fractions: a second opinion on the package that it lies beside.

Reads a ledger in JSON a line, and writes for each its years: what they charge, what leaves, and what they close with, in cents."""
import collections
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


def months_later(start, count):
    """The same day, or the last of a month that does not have it."""
    month = start.year * 12 + start.month - 1 + count
    for day in range(start.day, 0, -1):
        try:
            return datetime.date(month // 12, month % 12 + 1, day)
        except ValueError:
            pass


def days_of_365(start, end):
    """The days between, of which 29 February is none. From and to that day it is as from and to the one before."""
    count = lambda day: 365 * day.year + (datetime.date(2023, day.month, 28 if (day.month, day.day) == (2, 29) else day.day) - datetime.date(2023, 1, 1)).days
    return count(end) - count(start)


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
        self.obligation = None  # whose cost to retire it is
        self.number = None  # of its capital asset

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
        gone.fresh, gone.position, gone.planned, gone.obligation, gone.number = self.fresh, self.position, self.planned, self.obligation, self.number
        gone.amortized = cents(fractions.Fraction(self.amortized * cost, self.cost))
        gone.residual = cents(fractions.Fraction(self.residual * cost, self.cost))
        self.cost -= cost
        self.amortized -= gone.amortized
        self.residual -= gone.residual
        return gone


class Ledger:
    """A capital asset over its fiscal years. What moves in a year is counted by the names that the schedule has for it."""

    def __init__(self, convention, life=0, residual=0, amortized=True, leaves=False):
        self.convention, self.life, self.residual, self.amortized, self.leaves = convention, life or 0, residual, amortized, leaves
        self.service, self.work, self.layers, self.quantity, self.gone, self.last_number = None, 0, [], None, False, 0

    def cost(self):
        return sum(l.cost for l in self.layers)

    def amortized_by(self):
        return sum(l.amortized for l in self.layers)

    def not_amortized(self):
        """The residual value: of all that is there."""
        return sum(l.residual for l in self.layers)

    def counts_months(self):
        return self.convention in ("month", "month_inclusive")

    def counts_time(self):
        return self.counts_months() or self.convention in ("day", "day_365")

    def days(self, start, end):
        return days_of_365(start, end) if self.convention == "day_365" else (end - start).days

    def life_units(self, life, service):
        """Of a life in months."""
        if not self.amortized:
            return 0
        if self.counts_months():
            return life
        if self.counts_time():
            return self.days(service, months_later(service, life))
        return BY_YEAR[self.convention][0] * life // 12

    def planned(self, first):
        """The units of a whole year, or of that of service."""
        return BY_YEAR[self.convention][1 if first else 0] if self.amortized and not self.counts_time() else 0

    def position_of(self, on):
        if self.counts_months():
            return (on.year - self.first.year) * 12 + on.month - self.first.month
        return self.days(self.first, on)

    def charge(self, layer, units):
        self.moved["accumulated_amortization.amortization"] += layer.charge(units)

    def run_to(self, layer, position):
        if position > layer.position:
            self.charge(layer, position - layer.position)
            layer.position = position

    def run_all_to(self, on):
        if self.counts_time():
            for layer in self.layers:
                self.run_to(layer, self.position_of(on))

    def lasting(self):
        """The layers with units left, the first of which leads. What is amortized is over, unless all is: then all of it lasts longer."""
        return [l for l in self.layers if l.left] or list(self.layers)

    def units_left(self):
        return self.lasting()[0].left if self.layers else 0

    def longer(self, more):
        units = self.life_units(self.life + more, self.service) - self.life_units(self.life, self.service)
        for layer in self.lasting():
            layer.left += units
        self.life += more

    def over(self, on):
        """How many units of the life are over where an estimate of that day begins to count: on the first day of its year, of its month, or on itself."""
        if self.counts_months():
            return (on.year - self.service.year) * 12 + on.month - self.service.month
        if self.counts_time():
            return self.days(self.service, on)
        began = self.first.replace(year=self.service.year)  # the year of service
        if began > self.service:
            began = began.replace(year=began.year - 1)
        whole, first, _ = BY_YEAR[self.convention]
        years = self.first.year - began.year
        return first + (years - 1) * whole if years > 0 else 0

    def put_in_service(self, cost, on):
        self.service = on
        layer = Layer(cost, self.residual, self.life_units(self.life, on))
        if self.counts_time():
            layer.position = self.position_of(on)
        layer.planned = self.planned(first=True)
        self.layers.append(self.numbered(layer))

    def better(self, cost, on, added):
        self.run_all_to(on)
        if added:
            self.longer(added)
        base = self.lasting()[0]
        layer = Layer(cost, 0, base.left)
        if self.counts_time():
            layer.position = base.position
        elif self.amortized:  # it ends with the first
            layer.planned = BY_YEAR[self.convention][1]
            layer.left = base.left - base.planned + layer.planned
        self.layers.append(self.numbered(layer))

    def begin(self, first, last):
        self.first, self.last = first, last
        self.last_number = max((l.number for l in self.layers), default=0)
        self.moved = collections.Counter({"cost.opening": self.cost(), "work_in_progress.opening": self.work, "accumulated_amortization.opening": self.amortized_by()})
        for layer in self.layers:
            layer.fresh, layer.position, layer.planned = False, 0, self.planned(first=False)

    def end(self):
        whole = 12 if self.counts_months() else self.days(self.first, self.last + datetime.timedelta(1))
        for layer in self.layers:
            if self.counts_time():
                self.run_to(layer, whole)
            else:
                self.charge(layer, layer.planned)
        if self.leaves and self.cost() and self.cost() == self.amortized_by():  # what is written down to nothing has no cost to leave with
            self.leave(self.layers, "disposals")
            self.layers, self.gone = [], True
        self.moved["cost.closing"], self.moved["work_in_progress.closing"], self.moved["accumulated_amortization.closing"] = self.cost(), self.work, self.amortized_by()

    def leave(self, layers, why):
        self.moved["cost." + why] -= sum(l.cost for l in layers)
        self.moved["accumulated_amortization." + why] -= sum(l.amortized for l in layers)

    def year(self, told):
        self.begin(day(told["first"]), day(told["last"]))
        for entry in told["entries"]:
            getattr(self, entry["type"])(entry, day(entry["on"]))
        self.end()
        m = self.moved
        return [m["accumulated_amortization.amortization"], -m["cost.disposals"], -m["accumulated_amortization.disposals"], m["gain_loss"], m["cost.closing"],
            m["accumulated_amortization.closing"], m["work_in_progress.closing"]]

    def opening(self, entry, on):
        service = day(entry["service"])
        self.put_in_service(entry["amount"], service)
        layer = self.layers[0]
        layer.fresh, layer.position, layer.planned, layer.amortized = False, 0, self.planned(first=False), entry["amortized"]
        layer.residual = min(layer.residual, layer.value())
        if entry["units"] is not None:
            layer.left = entry["units"] if self.amortized else 0
        else:
            layer.left = max(0, layer.left - self.passed(service))
        self.moved["cost.opening"] += entry["amount"]
        self.moved["accumulated_amortization.opening"] += entry["amortized"]

    def passed(self, service):
        """The units of life that are over on the first day of the year, of what was there before it."""
        if self.counts_months():
            return (self.first.year - service.year) * 12 + self.first.month - service.month
        if self.counts_time():
            return self.days(service, self.first)
        whole, first, _ = BY_YEAR[self.convention]
        began, years = years_later(self.first, -1), 0  # whole years after that of service
        while began > service:
            began, years = years_later(began, -1), years + 1
        return first + years * whole

    def found(self, entry, service):
        """What was in service before the year is as if it had been bought then, by whole years before this one: a correction of those."""
        ghost = Ledger(self.convention, self.life, self.residual, self.amortized)
        first = self.first
        while first > service:
            first = years_later(first, -1)
        bought = False
        while first < self.first:
            ghost.begin(first, years_later(first, 1) - datetime.timedelta(1))
            if not bought:
                ghost.put_in_service(entry["amount"], service)
            bought = True
            ghost.end()
            first = years_later(first, 1)
        layer = ghost.layers[0]
        layer.fresh, layer.position, layer.planned = False, 0, self.planned(first=False)
        self.service, self.layers = service, [self.numbered(layer)]
        self.moved["cost.adjustments"] += layer.cost
        self.moved["accumulated_amortization.adjustments"] += layer.amortized

    def numbered(self, layer):
        """Layers are numbered in the order in which the capital asset gets them, from the last that it has on."""
        self.last_number += 1
        layer.number = self.last_number
        return layer

    def reinstated(self, with_it, without_it):
        """What a disposal took comes back: by layers, what there would be without it less what there is, on the year's first day."""
        there = {l.number: l for l in with_it.layers}
        for back in without_it.layers:
            left = there.get(back.number)
            part = Layer(back.cost, back.residual, back.left)
            part.amortized, part.obligation, part.number, part.fresh, part.planned = back.amortized, back.obligation, back.number, False, self.planned(first=False)
            if left:
                part.cost, part.amortized, part.residual = part.cost - left.cost, part.amortized - left.amortized, part.residual - left.residual
            if left and not (part.cost or part.amortized or part.residual):
                continue
            self.moved["cost.adjustments"] += part.cost
            self.moved["accumulated_amortization.adjustments"] += part.amortized
            same = [l for l in self.layers if l.number == part.number]
            if same:
                if self.counts_time():
                    self.run_to(part, same[0].position)
                same[0].cost, same[0].amortized, same[0].residual = same[0].cost + part.cost, same[0].amortized + part.amortized, same[0].residual + part.residual
            else:
                self.layers.append(part)
                self.layers.sort(key=lambda l: l.number)
            self.last_number = max(self.last_number, part.number)
        self.gone = False

    def acquisition(self, entry, on):
        if entry["amount"] < 0:
            self.credit(self.layers[0], entry, on, "additions")
            return
        if entry.get("service"):
            self.found(entry, day(entry["service"]))
            return
        self.put_in_service(entry["amount"], on)
        self.moved["cost.additions"] += entry["amount"]

    def contribution(self, entry, on):
        self.put_in_service(entry["amount"], on)
        self.moved["cost.contributed"] += entry["amount"]

    def construction(self, entry, on):
        self.work += entry["amount"]
        self.moved["work_in_progress.additions"] += entry["amount"]

    def in_service(self, entry, on):
        self.work_out(entry["amount"])
        self.work_in(entry, on)

    def work_out(self, amount):
        self.work -= amount
        self.moved["work_in_progress.to_service"] -= amount

    def work_in(self, entry, on):
        if self.layers:
            self.better(entry["amount"], on, entry["added"])
        else:
            self.put_in_service(entry["amount"], on)
        self.moved["cost.from_work_in_progress"] += entry["amount"]

    def credit(self, layer, entry, on, why):
        """What a supplier gives back."""
        self.run_all_to(on)
        layer.cost += entry["amount"]
        self.moved["cost." + why] += entry["amount"]

    def betterment(self, entry, on):
        if entry["amount"] < 0:
            self.credit([l for l in self.layers if not l.obligation][-1], entry, on, "betterments")
            return
        self.better(entry["amount"], on, entry["added"])
        self.moved["cost.betterments"] += entry["amount"]

    def retirement_cost(self, entry, on):
        """More is a layer, as a betterment, of what is in use and has units left: else an expense. Less comes out of the obligation's own layers, the last
        first, as far as they are not amortized: the rest is income."""
        self.run_all_to(on)
        change = 0
        if entry["amount"] > 0 and self.layers:
            before = list(self.layers)
            self.better(entry["amount"], on, 0)
            self.layers[-1].obligation = entry["obligation"]
            if self.amortized and self.layers[-1].left < 1:
                self.layers = before
            else:
                change = entry["amount"]
        elif entry["amount"] < 0:
            for layer in reversed(self.layers):
                if layer.obligation == entry["obligation"]:
                    less = min(change - entry["amount"], layer.value())
                    layer.cost -= less
                    change -= less
        self.moved["cost.retirement_costs"] += change

    def estimate(self, entry, on):
        self.run_all_to(on)
        lasting = self.lasting()
        left = lasting[0].left
        if entry["life"]:  # in all
            left = self.life_units(entry["life"], self.service) - self.over(on)
            self.life = entry["life"]
        elif entry["units"]:
            left = entry["units"]
        change = left - lasting[0].left
        for layer in lasting:
            layer.left = max(0, layer.left + change)
        if entry["residual"] is not None:
            lasting[0].residual += entry["residual"] - self.not_amortized()

    def write_down(self, entry, on):
        if entry.get("of_work"):
            self.work -= entry["amount"]
            self.moved["work_in_progress.write_downs"] -= entry["amount"]
            self.gone = self.gone or not self.work and self.service is None
            return
        self.run_all_to(on)
        for layer, part in zip(self.layers, spread(entry["amount"], [l.value() for l in self.layers])):
            layer.cost -= part
            layer.residual = min(layer.residual, layer.value())
        self.moved["cost.write_downs"] -= entry["amount"]

    def take(self, amount):
        """Takes cost out of all layers in their proportion."""
        taken = [layer.split(part) for layer, part in zip(self.layers, spread(amount, [l.cost for l in self.layers])) if layer.cost]
        self.layers = [l for l in self.layers if l.cost]
        self.gone = not self.layers
        return taken

    def disposal(self, entry, on):
        taken = [] if entry.get("some") and not self.cost() else self.take(entry["amount"])
        for layer in taken:
            if self.counts_time():
                self.run_to(layer, self.position_of(on) + (1 if self.convention == "month_inclusive" else 0))
            elif not layer.fresh:
                self.charge(layer, BY_YEAR[self.convention][2])
        self.leave(taken, "disposals")
        self.moved["proceeds"] += entry["proceeds"]
        self.moved["gain_loss"] += entry["proceeds"] - sum(l.value() for l in taken)

    def give(self, other, amount):
        """Transfers cost to another capital asset, at book value."""
        taken = self.take(amount)
        self.leave(taken, "transfers")
        if not other.layers:
            other.life, other.residual = self.life, 0
        other.service = other.service or self.service
        other.layers += [other.numbered(l) for l in taken]
        other.moved["cost.transfers"] += sum(l.cost for l in taken)
        other.moved["accumulated_amortization.transfers"] += sum(l.amortized for l in taken)

    def reclassify(self):
        """Goes to another class, at book value: what moves afterwards, moves there, and all that the year charges is charged there."""
        charged = self.moved.pop("accumulated_amortization.amortization", 0)
        self.leave(self.layers, "transfers")
        self.moved["accumulated_amortization.transfers"] += charged
        self.moved = collections.Counter({"cost.transfers": self.cost(), "accumulated_amortization.transfers": self.amortized_by() - charged,
            "accumulated_amortization.amortization": charged})

    def adjustment(self, entry, on):
        self.run_all_to(on)
        self.layers[0].cost += entry["cost_change"]
        self.layers[0].amortized += entry["accumulated_change"]
        self.moved["cost.adjustments"] += entry["cost_change"]
        self.moved["accumulated_amortization.adjustments"] += entry["accumulated_change"]


if __name__ == "__main__":
    for line in sys.stdin:
        told = json.loads(line)
        ledger = Ledger(told["convention"], told["life"], told["residual"])
        print(json.dumps([ledger.year(y) for y in told["years"]]))
