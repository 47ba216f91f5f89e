package demo

import (
	"context"
	"fmt"
	"math"
)

// priceGrowth is by how much prices of construction grew in the year before each fifth year since 1985, in percent.
var priceGrowth = []float64{4.1, 2.2, 1.4, 2.0, 3.3, 2.6, 2.1, 4.9}

// priceIndex is an index of construction prices from 1985 to the year of the writing, 100 in 1985. Its form is that of Statistics Canada's
// building construction price indexes; its values are invented.
func (b blueprint) priceIndex(year int) (index record, values []record) {
	external := b.prefix + "-IDX-01"
	index = record{
		"external_id": external, "name": b.text("Prix de la construction", "Construction prices"), "is_default": true,
		"source": b.text("Valeurs inventées, sous la forme des Indices des prix de la construction de bâtiments de Statistique Canada",
			"Invented values, in the form of Statistics Canada's building construction price indexes"),
	}
	value := 100.0
	for y := 1985; y <= year; y++ {
		values = append(values, record{"external_id": fmt.Sprintf("%s-%d", external, y), "year": y, "value": math.Round(value*10) / 10})
		value *= 1 + priceGrowth[min((y-1985)/5, len(priceGrowth)-1)]/100
	}
	return index, values
}

func (w *writer) writePriceIndex(ctx context.Context, b blueprint, year int) error {
	index, values := b.priceIndex(year)
	ids, err := w.bulk(ctx, "price-indexes", []record{index})
	if err != nil {
		return err
	}
	_, err = w.bulk(ctx, "price-indexes/"+ids[0]+"/values", values)
	return err
}
