"""Audits the service's books by what its API gives out alone: recomputes every balance from the transactions, with ledger/testdata/reference.py, and says
what does not agree to the cent.

Reads one document in JSON: fiscal_years, classes, capital_assets, retirement_obligations and transactions as their collections have them, and schedules by
fiscal year and grouping, and those of retirement obligations by fiscal year.
Writes one: how many figures were compared, how many entries of each type counted, and the first that do not agree."""
import collections
import datetime
import decimal
import fractions
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ledger", "testdata"))
from reference import Ledger, cents, day  # noqa: E402

COLUMNS = [block + "." + name for block, names in {
    "cost": "opening additions contributed betterments retirement_costs from_work_in_progress transfers write_downs disposals adjustments closing",
    "work_in_progress": "opening additions to_service write_downs closing",
    "accumulated_amortization": "opening amortization disposals transfers adjustments closing",
}.items() for name in names.split()] + ["proceeds", "gain_loss", "gain_loss_adjustments", "not_amortized"]


decimal.getcontext().prec = 60

OBLIGATION_COLUMNS = "opening recognized revised accretion settled closing".split()


def money(amount):
    """An amount of the API in cents; none is 0."""
    amount = decimal.Decimal(amount or 0) * 100
    if amount != int(amount):
        raise ValueError(f"{amount} is no whole number of cents")
    return int(amount)


def life(record, name):
    """A life, or what is added to one, in months; None where nothing is said."""
    years, months = record[name + "_years"], record[name + "_months"]
    return None if years is None and months is None else 12 * (years or 0) + (months or 0)


def growth(rate, months):
    """(1 + rate / 100) ^ (months / 12), by the twelfth root."""
    return ((1 + decimal.Decimal(rate) / 100) ** (decimal.Decimal(1) / 12)) ** months


def whole(x):
    """A decimal number of cents, half away from zero."""
    return int(x.quantize(decimal.Decimal(1), decimal.ROUND_HALF_UP))


def months(first, until):
    """The whole months from one day to a later one."""
    return 12 * (until.year - first.year) + until.month - first.month - (until.day < first.day)


class Obligation:
    """What an obligation to retire a capital asset owes. What moves in a year is counted by the names that the schedule has for it."""

    def __init__(self):
        self.liability, self.since, self.settled_on, self.paid = 0, None, None, None
        self.begin()

    def begin(self):
        self.moved = collections.Counter(opening=self.liability, closing=self.liability)

    def move(self, why, amount):
        self.moved[why] += amount
        self.moved["closing"] += amount
        self.liability += amount

    def expect(self, on, cost, settlement, rate):
        """What is expected from a day on. It gives by how much the liability is to change."""
        self.since, self.over, self.cost, self.settlement, self.rate = on, 0, cost, settlement, rate
        self.months = months(on, settlement)
        return whole(cost / growth(rate, self.months)) - self.liability

    def keep(self, rest):
        """What the rest costs that is not settled: its share of what all of it would, and a cent at least. It grows by the same months."""
        self.cost = max(1, whole(decimal.Decimal(self.cost * rest) / self.liability))

    def grow(self, until):
        """Grows to a day. It gives by how much."""
        if self.since is None or self.settled_on or self.over == self.months:
            return 0
        over = min(months(self.since, until), self.months)
        if over == self.months:
            amount = self.cost - self.liability
        else:
            amount = whole(self.liability * (growth(self.rate, over - self.over) - 1))
        self.over = over
        self.move("accretion", amount)
        return amount


class Audit:
    def __init__(self, told):
        self.told, self.compared, self.wrong, self.types = told, 0, [], collections.Counter()
        self.classes = {c["id"]: c for c in told["classes"]}
        self.years = sorted(told["fiscal_years"], key=lambda y: y["fiscal_year"])
        undone = {t["reverses"] for t in told["transactions"]}
        standing = [t for t in told["transactions"] if not t["reverses"] and t["id"] not in undone]
        # What a close has posted has one time. It is an outcome, and not what the balances follow from.
        self.charges = [t for t in standing if t["type"] == "amortization"]
        closes = {t["created_at"] for t in self.charges}
        self.obligations = {o["id"]: Obligation() for o in told["retirement_obligations"]}
        self.grown, self.accretions = collections.Counter(), collections.Counter()  # by obligation and day: recomputed, posted
        for t in standing:
            if t["type"] == "accretion":
                self.accretions[t["obligation_id"], t["effective_on"]] += money(t["amount"])
        self.entries = sorted((t for t in standing if t["created_at"] not in closes), key=lambda t: (t["effective_on"], t["sequence"]))
        self.classOf = {a["id"]: a["class_id"] for a in told["capital_assets"]}
        for t in reversed(self.entries):
            if t["from_class_id"]:
                self.classOf[t["capital_asset_id"]] = t["from_class_id"]
        self.books = {asset: self.ledger(self.classes[k]) for asset, k in self.classOf.items()}
        self.used = set()

    @staticmethod
    def ledger(k):
        return Ledger(k["convention"], amortized=k["method"] != "none", leaves=k["remove_when_amortized"])

    def agree(self, what, here, there):
        self.compared += 1
        if here != there:
            self.wrong.append(f"{what}: recomputed {here}, the service has {there}")

    def run(self):
        gains = collections.Counter()
        for year in self.years:
            number, first, last = year["fiscal_year"], day(year["period_start"]), day(year["period_end"])
            parts = collections.defaultdict(list)  # by capital asset: class and what moved
            for book in self.books.values():
                book.begin(first, last)
            for obligation in self.obligations.values():
                obligation.begin()
            for t in self.entries:
                if t["fiscal_year"] == number and (not t["obligation_id"] or self.owe(t)):
                    self.post(t, parts)
            for o, obligation in self.obligations.items():
                self.grown[o, last.isoformat()] += obligation.grow(last + datetime.timedelta(1))
            self.obligation_schedule(number)
            for asset, book in self.books.items():
                book.end()
                parts[asset].append((self.classOf[asset], book.moved))
                for k, moved in parts[asset]:
                    moved["not_amortized"] = moved["work_in_progress.closing"] + (moved["cost.closing"] if self.classes[k]["method"] == "none" else 0)
                    gains[asset] += moved["gain_loss"] + moved["gain_loss_adjustments"]
            if year["state"] == "closed":
                self.charged(number, parts)
            for by, schedule in self.told["schedules"].get(str(number), {}).items():
                self.schedule(f"{number} by {by}", by, schedule, parts)
            if year["state"] == "closed":
                closed = {asset: (book.cost(), book.amortized_by(), book.work, book.units_left()) for asset, book in self.books.items()}
        for a in self.told["capital_assets"]:
            self.balance(a, closed[a["id"]], gains[a["id"]])
        self.liabilities()
        return {"compared": self.compared, "types": self.types, "wrong": len(self.wrong), "first": self.wrong[:20]}

    def owe(self, t):
        """Moves the liability of an obligation by an entry. It gives whether that moves a cost."""
        kind, obligation, on, amount = t["type"], self.obligations[t["obligation_id"]], day(t["effective_on"]), money(t["amount"])
        if kind == "accretion":
            self.types[kind] += 1
            return False  # follows from the entry after it
        grown = obligation.grow(on)
        self.grown[t["obligation_id"], t["effective_on"]] += grown
        if kind == "settlement":
            self.types[kind] += 1
            change, why = -obligation.liability, "settled"
            if t["share_pct"] is not None:
                change = -whole(obligation.liability * decimal.Decimal(t["share_pct"]) / 100)
            elif t["estimated_cost"] is not None:  # so much, as was said
                change = amount
            if change == -obligation.liability:
                obligation.settled_on = t["effective_on"]
            else:
                self.types["settlement of a part"] += 1
                obligation.keep(obligation.liability + change)
            self.agree(f"{t['number']} estimated_cost", None if obligation.settled_on else obligation.cost, None if t["estimated_cost"] is None else money(t["estimated_cost"]))
            obligation.paid = (obligation.paid or 0) - change - money(t["gain_loss"])
        else:
            recognized = obligation.since is None
            change = obligation.expect(on, money(t["estimated_cost"]), day(t["settlement_on"]), t["discount_rate_pct"])
            why = ("opening" if kind == "opening" else "recognized") if recognized else "revised"
            self.types[f"obligation {why}"] += 1
        self.agree(f"{t['number']} {kind} amount", change, amount)
        obligation.move(why, change)
        return kind == "retirement_cost"

    def obligation_schedule(self, number):
        rows = collections.defaultdict(collections.Counter)
        for o in self.told["retirement_obligations"]:
            for group in (o["kind"], "total"):
                rows[group].update(self.obligations[o["id"]].moved)
        schedule = self.told["obligation_schedules"][str(number)]
        shown = {row["kind"]: row for row in schedule["data"]}
        shown["total"] = schedule["total"]
        for group in rows.keys() | shown.keys():
            for column in OBLIGATION_COLUMNS:
                self.agree(f"{number} obligations: {group} {column}", rows[group][column], money(shown.get(group, {}).get(column)))

    def liabilities(self):
        """What obligations stand at, and their accretion on each day, with all years closed."""
        for key in self.grown.keys() | self.accretions.keys():
            self.agree(f"accretion of {key[0]} on {key[1]}", self.grown[key], self.accretions[key])
        for o in self.told["retirement_obligations"]:
            obligation = self.obligations[o["id"]]
            for field, here, there in (("state", "settled" if obligation.settled_on else "active", o["state"]), ("liability", obligation.liability, money(o["liability"])), ("settled_on", obligation.settled_on, o["settled_on"]),
                    ("paid", obligation.paid, None if o["paid"] is None else money(o["paid"])),
                    ("estimated_cost", obligation.cost, money(o["estimated_cost"])), ("settlement_on", obligation.settlement.isoformat(), o["settlement_on"]),
                    ("discount_rate_pct", decimal.Decimal(obligation.rate), decimal.Decimal(o["discount_rate_pct"]))):
                self.agree(f"obligation {o['id']} {field}", here, there)

    def post(self, t, parts):
        self.types[t["type"]] += 1
        asset, on, amount = t["capital_asset_id"], day(t["effective_on"]), money(t["amount"])
        book, other = self.books[asset], self.books.get(t["to_capital_asset_id"])
        receiving = other or book
        self.used |= {asset, t["to_capital_asset_id"]}
        if not receiving.layers and amount >= 0 and t["type"] in ("opening", "acquisition", "contribution", "in_service"):
            receiving.life, receiving.residual, receiving.quantity = life(t, "useful_life") or 0, money(t["residual_value"]), t["quantity"]
        said = {"amount": amount, "added": life(t, "added_life") or 0, "proceeds": money(t["proceeds"]), "service": t["in_service_on"],
            "amortized": money(t["accumulated_amortization"]), "units": t["remaining_units"], "life": life(t, "useful_life"),
            "residual": None if t["residual_value"] is None else money(t["residual_value"]), "cost_change": money(t["cost_change"]),
            "accumulated_change": money(t["accumulated_change"]), "obligation": t["obligation_id"], "of_work": t["of_work_in_progress"]}
        if t["type"] == "in_service" and other:
            self.types["in_service to another"] += 1
            book.work_out(amount)
            other.work_in(said, on)
        elif t["type"] == "transfer" and other:
            if not other.layers:
                other.quantity = t["quantity"]
            book.give(other, amount or book.cost())
        elif t["type"] == "transfer":
            self.types["transfer to a class"] += 1
            parts[asset].append((self.classOf[asset], book.moved))
            book.reclassify()
            self.classOf[asset] = t["to_class_id"]
        elif t["type"] == "reinstatement":
            with_it, without_it = self.apart(t, set()), self.apart(t, {t["reinstates"]})
            book.reinstated(with_it, without_it)
            if book.quantity is not None:
                book.quantity += without_it.quantity - with_it.quantity
            book.moved["gain_loss_adjustments"] += money(t["gain_loss"])
            disposal = next(d for d in self.entries if d["id"] == t["reinstates"])
            self.agree(f"{t['number']} gain_loss", -money(disposal["gain_loss"]), money(t["gain_loss"]))
        elif t["type"] == "disposal":
            said["amount"] = self.disposed(book, t)
            said["some"] = t["share_pct"] is not None and t["share_pct"] < 100 or t["quantity"] is not None and t["quantity"] < book.quantity
            book.disposal(said, on)
            if book.quantity is not None and (book.gone or t["quantity"]):
                book.quantity = 0 if book.gone else book.quantity - t["quantity"]
        else:
            getattr(book, t["type"])(said, on)

    def apart(self, t, without):
        """The capital asset of a reinstatement at the end of the year before it, kept by itself with those that are tied to it, and without some entries."""
        tied, more = {t["capital_asset_id"]}, True
        while more:
            found = {a for e in self.entries for a in (e["capital_asset_id"], e["to_capital_asset_id"]) if a and e["to_capital_asset_id"] and {e["capital_asset_id"], e["to_capital_asset_id"]} & tied}
            more, tied = not found <= tied, tied | found
        apart = Audit(self.told)
        apart.books = {a: book for a, book in apart.books.items() if a in tied}
        for year in self.years:
            if year["fiscal_year"] >= t["fiscal_year"]:
                break
            for book in apart.books.values():
                book.begin(day(year["period_start"]), day(year["period_end"]))
            for e in apart.entries:
                if e["fiscal_year"] == year["fiscal_year"] and e["capital_asset_id"] in tied and e["id"] not in without and (not e["obligation_id"] or e["type"] == "retirement_cost"):
                    apart.post(e, collections.defaultdict(list))
            for book in apart.books.values():
                book.end()
        return apart.books[t["capital_asset_id"]]

    @staticmethod
    def disposed(book, t):
        """The cost that a disposal takes, in cents."""
        if t["cost_removed"] is not None:
            return money(t["cost_removed"])
        if t["share_pct"] is not None:
            return cents(fractions.Fraction(t["share_pct"]) * book.cost() / 100)
        if t["quantity"] is not None:
            return cents(fractions.Fraction(book.cost() * t["quantity"], book.quantity))
        return book.cost()

    def charged(self, number, parts):
        """What the close has posted is what the year charges."""
        posted = collections.Counter()
        for t in self.charges:
            if t["fiscal_year"] == number:
                posted[t["capital_asset_id"]] += money(t["accumulated_change"])
        for asset, rows in parts.items():
            self.agree(f"{number} {asset} amortization entries", sum(moved["accumulated_amortization.amortization"] for _, moved in rows), posted[asset])

    def schedule(self, what, by, schedule, parts):
        groups = collections.defaultdict(collections.Counter)
        for asset, rows in parts.items():
            for k, moved in rows:
                groups[{"class": k, "category": self.classes[k]["category"], "capital_asset": asset}[by]].update(moved)
        shown = {row["code" if by == "category" else "id"]: row for row in schedule["data"]}
        if by == "class":
            shown["total"] = schedule["total"]
            groups["total"] = collections.Counter()
            for rows in parts.values():
                for _, moved in rows:
                    groups["total"].update(moved)
        for group in groups.keys() | shown.keys():
            row = shown.get(group, {})
            for column in COLUMNS:
                block, _, name = column.partition(".")
                there = row.get(block) if not name else row.get(block, {}).get(name)
                self.agree(f"{what}: {group} {column}", groups[group][column], money(there))

    def balance(self, a, closed, gain):
        """The balances of a capital asset with nothing posted to it after the last closed year."""
        book, what = self.books[a["id"]], f"{a['number']} ({a['id']})"
        cost, amortized, work, left = closed
        for field, here in (("cost", cost), ("accumulated_amortization", amortized), ("net_book_value", cost - amortized), ("work_in_progress", work), ("gain_loss", gain)):
            self.agree(f"{what} {field}", here, money(a[field]))
        state = "disposed" if book.gone else "in_service" if book.layers else "in_progress" if a["id"] in self.used else "draft"
        self.agree(f"{what} state", state, a["state"])
        self.agree(f"{what} class_id", self.classOf[a["id"]], a["class_id"])
        if state == "in_service":
            self.agree(f"{what} in_service_on", book.service.isoformat(), a["in_service_on"])
            self.agree(f"{what} quantity", book.quantity, a["quantity"])
            if book.amortized:
                self.agree(f"{what} remaining_units", left, a["remaining_units"])
                self.agree(f"{what} useful_life", book.life, life(a, "useful_life"))
                self.agree(f"{what} residual_value", book.not_amortized(), money(a["residual_value"]))


print(json.dumps(Audit(json.load(sys.stdin, parse_float=decimal.Decimal)).run()))
