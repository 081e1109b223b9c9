/** The five classes that a city can belong to. */
export const continents = ["Africa", "Asia", "Europe", "North America", "South America"] as const;

export type Continent = (typeof continents)[number];

export interface City {
  readonly name: string;
  readonly continent: Continent;
}

/**
 * Eighty real cities for each continent, so that no class can be guessed by its size. Names are ASCII. Left out: cities
 * that lie on, or are counted to, two continents (Istanbul, Tbilisi, Baku, Nicosia, Suez, Yekaterinburg, Panama City),
 * and names that two well-known cities of different continents share (Cordoba, Valencia, Birmingham, Tripoli).
 * Central America and the Caribbean count as North America.
 */
const names: Readonly<Record<Continent, string>> = {
  Africa: `
    Cairo, Giza, Luxor, Aswan, Kinshasa, Lubumbashi, Goma, Johannesburg, Pretoria, Durban, Bloemfontein, Nairobi,
    Mombasa, Kisumu, Nakuru, Addis Ababa, Luanda, Casablanca, Rabat, Marrakesh, Tangier, Agadir, Algiers, Oran,
    Annaba, Tunis, Sfax, Benghazi, Misrata, Khartoum, Omdurman, Lagos, Abuja, Ibadan, Kano, Kaduna, Enugu, Accra,
    Kumasi, Tamale, Dakar, Abidjan, Bamako, Niamey, Ouagadougou, Conakry, Freetown, Monrovia, Banjul, Bissau,
    Nouakchott, Lome, Cotonou, Douala, Yaounde, Libreville, Brazzaville, Bujumbura, Kigali, Kampala, Entebbe,
    Dodoma, Mwanza, Arusha, Lilongwe, Blantyre, Lusaka, Kitwe, Ndola, Harare, Bulawayo, Gaborone, Windhoek, Maseru,
    Maputo, Beira, Asmara, Mogadishu, Hargeisa, Antananarivo`,
  Asia: `
    Tokyo, Osaka, Kyoto, Nagoya, Sapporo, Fukuoka, Hiroshima, Kobe, Seoul, Busan, Incheon, Daegu, Pyongyang, Beijing,
    Shanghai, Guangzhou, Shenzhen, Chengdu, Wuhan, Nanjing, Hangzhou, Harbin, Kunming, Lhasa, Taipei, Kaohsiung,
    Ulaanbaatar, Hanoi, Haiphong, Phnom Penh, Vientiane, Bangkok, Chiang Mai, Yangon, Mandalay, Kuala Lumpur,
    Jakarta, Bandung, Surabaya, Medan, Manila, Davao, Delhi, Mumbai, Kolkata, Chennai, Bangalore, Pune, Jaipur,
    Lucknow, Agra, Karachi, Lahore, Islamabad, Peshawar, Dhaka, Chittagong, Kathmandu, Thimphu, Colombo, Kandy,
    Kabul, Herat, Kandahar, Tehran, Isfahan, Shiraz, Tabriz, Baghdad, Basra, Mosul, Damascus, Aleppo, Beirut, Amman,
    Riyadh, Doha, Muscat, Tashkent, Samarkand`,
  Europe: `
    London, Paris, Madrid, Berlin, Rome, Lisbon, Vienna, Prague, Warsaw, Budapest, Dublin, Brussels, Amsterdam,
    Rotterdam, Copenhagen, Oslo, Stockholm, Helsinki, Athens, Thessaloniki, Sofia, Bucharest, Belgrade, Zagreb,
    Ljubljana, Sarajevo, Skopje, Tirana, Podgorica, Bratislava, Krakow, Gdansk, Wroclaw, Poznan, Vilnius, Kaunas,
    Riga, Tallinn, Tartu, Minsk, Kyiv, Lviv, Odesa, Kharkiv, Moscow, Chisinau, Milan, Turin, Naples, Venice,
    Florence, Bologna, Genoa, Palermo, Seville, Bilbao, Zaragoza, Malaga, Lyon, Marseille, Toulouse, Bordeaux,
    Nantes, Lille, Hamburg, Munich, Cologne, Frankfurt, Stuttgart, Leipzig, Dresden, Zurich, Geneva, Basel,
    Salzburg, Antwerp, Gothenburg, Reykjavik, Edinburgh, Glasgow`,
  "North America": `
    Toronto, Montreal, Vancouver, Calgary, Edmonton, Ottawa, Winnipeg, Quebec City, Regina, Saskatoon, Chicago,
    Houston, Phoenix, Dallas, Austin, Seattle, Denver, Boston, Detroit, Atlanta, Miami, Tampa, Orlando, Minneapolis,
    Milwaukee, Cleveland, Cincinnati, Columbus, Pittsburgh, Philadelphia, Baltimore, Nashville, Louisville,
    Indianapolis, Omaha, Wichita, Tulsa, Tucson, Albuquerque, El Paso, Las Vegas, Sacramento, Fresno, Oakland,
    San Diego, San Francisco, Los Angeles, Anchorage, Boise, Spokane, Tacoma, Buffalo, Charlotte, Raleigh, Savannah,
    Jacksonville, New Orleans, Mexico City, Monterrey, Puebla, Tijuana, Cancun, Oaxaca, Veracruz, Acapulco,
    Chihuahua, Hermosillo, Culiacan, Morelia, Queretaro, Mazatlan, Guatemala City, Tegucigalpa, Managua, Havana,
    Santo Domingo, Nassau, Belmopan, Camaguey, San Pedro Sula`,
  "South America": `
    Sao Paulo, Rio de Janeiro, Brasilia, Recife, Fortaleza, Manaus, Belem, Curitiba, Porto Alegre, Belo Horizonte,
    Goiania, Natal, Maceio, Campinas, Florianopolis, Joinville, Cuiaba, Teresina, Aracaju, Londrina, Niteroi,
    Sorocaba, Buenos Aires, Rosario, Mendoza, La Plata, Salta, Tucuman, Neuquen, Bariloche, Ushuaia, Posadas,
    Corrientes, Mar del Plata, Bahia Blanca, Valparaiso, Antofagasta, Temuco, Iquique, Arica, Punta Arenas,
    Puerto Montt, Talca, Rancagua, Lima, Arequipa, Cusco, Iquitos, Chiclayo, Piura, Huancayo, Tacna, Ayacucho, Quito,
    Guayaquil, Ambato, Bogota, Medellin, Cali, Barranquilla, Bucaramanga, Pereira, Manizales, Ibague, Cucuta,
    Caracas, Maracaibo, Barquisimeto, Maracay, La Paz, Cochabamba, Potosi, Oruro, Tarija, Asuncion, Encarnacion,
    Montevideo, Paysandu, Paramaribo, Cayenne`,
};

/** The 400 cities, in the order of `continents`. */
export const cities: readonly City[] = continents.flatMap((continent) =>
  names[continent].split(",").map((name) => ({ name: name.trim(), continent })),
);
